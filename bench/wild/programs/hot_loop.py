"""Plain Python: one hot loop in small functions."""


def collatz(number: int) -> int:
    length = 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        length += 1
    return length


best = 0
for start in range(1, 230_000):
    best = max(best, collatz(start))
print(best)
