#include "density/frame.hpp"

#include <cmath>

#include "lacuna/core/errors.hpp"
#include "lacuna/math/moments.hpp"

namespace lacuna {

double Frame::log_jacobian() const {
  double sum = 0.0;
  for (const double s : scale) sum -= std::log(s);
  return sum;
}

void Frame::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "center", center);
  archive.put(prefix + "scale", scale);
}

Frame Frame::load(const Archive& archive, const std::string& prefix, Index n_features) {
  Frame frame{archive.vector(prefix + "center", n_features), archive.vector(prefix + "scale", n_features)};
  for (const double s : frame.scale)
    if (!(s > 0.0) || !std::isfinite(s))
      throw Error(ErrorKind::data, "the model is damaged: a scale is not positive");
  return frame;
}

Frame make_frame(const WeightedRows& rows, std::span<const double> reference_variance,
                 double reference_rows) {
  RowMoments own = row_moments(rows);
  Frame frame{std::move(own.mean), std::vector<double>(own.variance.size())};
  for (std::size_t j = 0; j < frame.scale.size(); ++j) {
    double variance = own.variance[j];
    if (!reference_variance.empty()) {
      variance =
          (own.weight * variance + reference_rows * reference_variance[j]) / (own.weight + reference_rows);
      if (variance == 0.0) variance = reference_variance[j];
    }
    // A feature that never varies carries no information; any scale will do.
    const double scale = std::sqrt(variance);
    frame.scale[j] = scale > 0.0 && std::isfinite(1.0 / scale) ? scale : 1.0;
  }
  return frame;
}

} // namespace lacuna
