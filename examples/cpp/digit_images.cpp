#include "digit_images.h"

#include <algorithm>
#include <array>

namespace {

constexpr std::size_t kGlyphRows = 7;
constexpr std::size_t kGlyphColumns = 5;

// One row of a glyph a number, its most significant of five bits on the left.
constexpr std::array<std::array<std::uint8_t, kGlyphRows>, kClasses> kGlyphs = {{
    {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110},
    {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
    {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111},
    {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110},
    {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},
    {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},
    {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110},
    {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000},
    {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},
    {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100},
}};

bool inked(std::uint8_t digit, float row, float column) {
  if (row < 0 || column < 0 || row >= kGlyphRows || column >= kGlyphColumns) return false;
  return (kGlyphs[digit][static_cast<std::size_t>(row)] >>
          (kGlyphColumns - 1 - static_cast<std::size_t>(column))) &
         1;
}

}  // namespace

float DigitImages::uniform() {
  // SplitMix64: the standard library's distributions differ between implementations.
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
}

void DigitImages::draw(std::uint8_t digit, float* pixels) {
  const float height = 1.4f + 0.7f * uniform();  // pixels per glyph row
  const float width = 1.6f + 1.0f * uniform();
  const float top = uniform() * (kSide - height * kGlyphRows);
  const float left = uniform() * (kSide - width * kGlyphColumns);
  const float slant = 0.5f * (uniform() - 0.5f);
  for (std::size_t y = 0; y < kSide; ++y)
    for (std::size_t x = 0; x < kSide; ++x) {
      const float row = (static_cast<float>(y) - top) / height;
      const float column =
          (static_cast<float>(x) - left) / width + slant * (row - kGlyphRows / 2.0f);
      const float ink = inked(digit, row, column) ? 0.9f : 0.1f;
      pixels[y * kSide + x] = std::clamp(ink + 0.6f * (uniform() - 0.5f), 0.0f, 1.0f);
    }
}

Batch DigitImages::next(std::size_t count) {
  Batch batch;
  batch.pixels.resize(count * kPixels);
  batch.labels.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    batch.labels[i] = static_cast<std::uint8_t>(uniform() * kClasses);
    draw(batch.labels[i], batch.pixels.data() + i * kPixels);
  }
  return batch;
}
