"""JAX: lines for the kernels that XLA makes, and CUPTI for JAX's own profiler.

Importing this does not import jax.
"""
