#include "pipeline/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace lacuna {

namespace {

/// "00", "01", ... "99".
constexpr std::array<char, 200> pairs = [] {
  std::array<char, 200> text{};
  for (std::size_t i = 0; i < 100; ++i) {
    text[2 * i] = static_cast<char>('0' + i / 10);
    text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();

constexpr std::array<std::uint64_t, 20> powers_of_ten = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

void put_pair(char* to, std::uint32_t below_100) {
  std::memcpy(to, pairs.data() + std::size_t{2} * below_100, 2);
}

void put_eight(char* to, std::uint32_t number) {
  const std::uint32_t high = number / 10000;
  const std::uint32_t low = number % 10000;
  put_pair(to, high / 100);
  put_pair(to + 2, high % 100);
  put_pair(to + 4, low / 100);
  put_pair(to + 6, low % 100);
}

int n_digits(std::uint64_t number) {
  // log10 from log2, one too few at most.
  const int guess = (64 - __builtin_clzll(number | 1)) * 1233 >> 12;
  return guess + (number >= powers_of_ten[static_cast<std::size_t>(guess)] ? 1 : 0);
}

/// The digits of a number that has `n` of them, at most 17, and zeros behind up to 17.
void put_digits(char* to, std::uint64_t number, int n) {
  constexpr std::uint64_t ten_to_eight = 100'000'000;
  const std::uint64_t filled = number * powers_of_ten[static_cast<std::size_t>(17 - n)];
  const std::uint64_t first_nine = filled / ten_to_eight;
  *to = static_cast<char>('0' + first_nine / ten_to_eight);
  put_eight(to + 1, static_cast<std::uint32_t>(first_nine % ten_to_eight));
  put_eight(to + 9, static_cast<std::uint32_t>(filled % ten_to_eight));
}

char* put_exponent(char* to, int exponent) {
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  auto size = static_cast<std::uint32_t>(std::abs(exponent));
  if (size >= 100) {
    *to++ = static_cast<char>('0' + size / 100);
    size %= 100;
  }
  put_pair(to, size);
  return to + 2;
}

/// number * 10^power, a double's shortest digits.
struct Decimal {
  std::uint64_t number;
  int power;
};

/// To so many digits; five goes up. No zeros at the end.
void round_to(int digits, int n, Decimal& decimal) {
  const std::uint64_t unit = powers_of_ten[static_cast<std::size_t>(n - digits)];
  decimal.number = decimal.number / unit + (decimal.number % unit >= unit / 2 ? 1 : 0);
  decimal.power += n - digits;
  for (; decimal.number % 10 == 0; ++decimal.power) decimal.number /= 10;
}

char* put_positive(char* to, double value, int digits) {
  constexpr int least_plain = -4; // 0.0001, but 1e-05
  constexpr int most_plain = 15;  // 1000000000000000, but 1e+16
  // fmt's own digits; what it has for users lays them out at once.
  const auto shortest = fmt::detail::dragonbox::to_decimal(value);
  Decimal decimal{shortest.significand, shortest.exponent};
  if (const int all = n_digits(decimal.number); all > digits) round_to(digits, all, decimal);
  const auto [number, power] = decimal;
  const int n = n_digits(number);
  const int exponent = n + power - 1;
  if (exponent < least_plain || exponent > most_plain) {
    put_digits(to + 1, number, n);
    to[0] = to[1];
    to[1] = '.';
    return put_exponent(n == 1 ? to + 1 : to + n + 1, exponent);
  }
  if (exponent < 0) { // 0.000ddd
    std::copy_n("0.000", 5, to);
    put_digits(to + 1 - exponent, number, n);
    return to + 1 - exponent + n;
  }
  if (power >= 0) { // ddd000, of which the zeros are there
    put_digits(to, number, n);
    return to + n + power;
  }
  put_digits(to + 1, number, n); // ddd.ddd
  std::memmove(to, to + 1, static_cast<std::size_t>(exponent) + 1);
  to[exponent + 1] = '.';
  return to + n + 1;
}

} // namespace

char* put_number(char* to, double value, int digits) {
  if (std::isnan(value) || std::isinf(value)) return fmt::format_to(to, "{}", value);
  if (std::signbit(value)) *to++ = '-';
  if (value != 0.0) return put_positive(to, std::abs(value), digits);
  *to++ = '0';
  return to;
}

} // namespace lacuna
