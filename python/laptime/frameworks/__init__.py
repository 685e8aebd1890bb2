"""One folder for each framework, with what is measured of it. No folder imports another
framework's.
"""
