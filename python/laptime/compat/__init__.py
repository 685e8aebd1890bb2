"""The interfaces of other profilers, with laptime's engines behind them."""
