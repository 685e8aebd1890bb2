from types import ModuleType

engine: ModuleType

def version() -> str: ...
