#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

/// An array of doubles with a shape, row-major.
struct Tensor {
  std::vector<Index> shape;
  std::vector<double> values;
  bool is_single = false; ///< 32-bit in the file: for values that are floats, such as weights of networks
};

/// What a fitted thing is made of: named tensors and named texts. Every room writes and reads its own part
/// under a prefix ("initial/class/0/"); model_io turns the whole into a file and knows nothing of its
/// meaning.
class Archive {
public:
  void put(const std::string& name, Tensor tensor);
  void put(const std::string& name, double value);
  void put(const std::string& name, std::vector<double> values);
  void put(const std::string& name, const Matrix& matrix);
  void put(const std::string& name, std::vector<Index> shape, std::span<const float> values);
  void put_text(const std::string& name, std::string text);
  template <NamedChoice Choice>
  void put_choice(const std::string& name, Choice value) {
    put_text(name, to_string(value));
  }

  /// Each getter throws Error(data) when the name is missing or the shape is another than expected.
  const Tensor& tensor(const std::string& name) const;
  double number(const std::string& name) const;
  /// A whole number between low and high, both included.
  Index integer(const std::string& name, Index low, Index high) const;
  const std::vector<double>& vector(const std::string& name, Index size) const;
  Matrix matrix(const std::string& name, Index n_rows, Index n_cols) const;
  const std::string& text(const std::string& name) const;
  /// What put_choice wrote, or the number that files of format version 1 have in the name's place.
  template <NamedChoice Choice>
  Choice choice(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const auto& known : choice_names(Choice{})) names.push_back(known.name);
    return choice_names(Choice{})[place_among(name, names)].value;
  }
  bool has(const std::string& name) const { return tensors_.contains(name) || texts_.contains(name); }

  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& texts() const { return texts_; }

private:
  std::size_t place_among(const std::string& name, std::span<const std::string_view> names) const;

  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> texts_;
};

} // namespace lacuna
