"""One folder a framework: what is measured of it. A framework's folder imports no other's."""
