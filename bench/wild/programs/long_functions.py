"""Functions of 1,600 lines: a line event costs more in them on some interpreters."""

lines = "\n".join(f"    x = x * 3 + {n}" if n % 2 else f"    x = x % {n + 7919}" for n in range(1600))
source = f"def long(x):\n{lines}\n    return x\n"
namespace: dict[str, object] = {}
exec(compile(source, __file__, "exec"), namespace)
value = 1
for _ in range(25_000):
    value = namespace["long"](value)  # type: ignore[operator]
print(value)
