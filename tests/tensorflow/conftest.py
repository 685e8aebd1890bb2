from importlib.util import find_spec

# These tests need TensorFlow and JAX, which no lock file of this project installs.
collect_ignore_glob = [] if find_spec("tensorflow") and find_spec("jax") else ["test_*.py"]
