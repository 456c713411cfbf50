#include "experiments/toy_figure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace lacuna {

namespace {

constexpr double panel_width = 290.0;
constexpr double panel_height = 260.0;
constexpr double margin = 46.0;
constexpr double gap = 50.0;
constexpr double head = 84.0; // title, legend and panel titles
constexpr double foot = 84.0; // tick labels and the colour bar
// Few enough colours to merge equal neighbours, enough to look smooth.
constexpr int n_shades = 40;

struct Colour {
  double red, green, blue;
};
constexpr Colour sure_of_first{33, 102, 172};
constexpr Colour unknown{255, 255, 255};
constexpr Colour sure_of_second{224, 96, 8};

std::string hex(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(std::lround(colour.red)),
                     static_cast<int>(std::lround(colour.green)), static_cast<int>(std::lround(colour.blue)));
}

// p is the probability of the first class: 1 is blue, 1/2 white, 0 orange.
std::string shade(double p) {
  const Colour& end = p > 0.5 ? sure_of_first : sure_of_second;
  const double t = std::abs(2.0 * p - 1.0);
  return hex({unknown.red + t * (end.red - unknown.red), unknown.green + t * (end.green - unknown.green),
              unknown.blue + t * (end.blue - unknown.blue)});
}

int shade_number(double p) {
  return std::isfinite(p) ? static_cast<int>(std::lround(std::clamp(p, 0.0, 1.0) * n_shades)) : n_shades / 2;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

class Writer {
public:
  explicit Writer(const ToyFigure& figure) : figure_(figure) {}

  std::string svg() {
    const auto n_panels = static_cast<double>(figure_.maps.size() + 1);
    width_ = 2 * margin + n_panels * panel_width + (n_panels - 1) * gap;
    const double height = head + panel_height + foot;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n",
        width_, height);
    add("<title>{}</title>\n", escaped(figure_.title));
    add("<rect x=\".5\" y=\".5\" width=\"{:g}\" height=\"{:g}\" rx=\"6\" fill=\"#fff\" "
        "stroke=\"#c8c8c8\"/>\n",
        width_ - 1, height - 1);
    label(margin, 28, "start", figure_.title, " font-size=\"16\" font-weight=\"bold\"");
    legend();
    panel(0, data_title());
    points(true, 1.0);
    frame();
    for (std::size_t i = 0; i < figure_.maps.size(); ++i) {
      panel(static_cast<double>(i + 1), figure_.maps[i].title);
      map(figure_.maps[i].probability);
      points(false, 0.55);
      frame();
    }
    colour_bar(head + panel_height + 44);
    text_ += "</svg>\n";
    return text_;
  }

private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void label(double x, double y, const char* anchor, const std::string& words, const char* style = "") {
    add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, style, escaped(words));
  }

  std::string data_title() const {
    const auto labeled = std::count_if(figure_.points.begin(), figure_.points.end(),
                                       [](const ToyFigurePoint& point) { return point.label >= 0; });
    return fmt::format("data: {} of {} rows labeled", labeled, figure_.points.size());
  }

  void panel(double number, const std::string& title) {
    left_ = margin + number * (panel_width + gap);
    label(left_, head - 8, "start", title);
  }

  void frame() {
    add("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" stroke=\"#888\"/>\n", left_,
        head, panel_width, panel_height);
    const char* small = " font-size=\"11\" fill=\"#666\"";
    label(left_, head + panel_height + 15, "start", fmt::format("{:.1f}", figure_.x_low), small);
    label(left_ + panel_width, head + panel_height + 15, "end", fmt::format("{:.1f}", figure_.x_high), small);
    label(left_ + panel_width / 2, head + panel_height + 15, "middle", "x1", small);
    label(left_ - 4, head + panel_height, "end", fmt::format("{:.1f}", figure_.y_low), small);
    label(left_ - 4, head + 10, "end", fmt::format("{:.1f}", figure_.y_high), small);
    label(left_ - 4, head + panel_height / 2, "end", "x2", small);
  }

  void legend() {
    double x = margin;
    const auto entry = [&](const std::string& colour, const std::string& words) {
      add("<circle cx=\"{:g}\" cy=\"46\" r=\"4.5\" fill=\"{}\"/>\n", x + 5, colour);
      label(x + 15, 50.5, "start", words, " font-size=\"12\"");
      x += 36 + 7.0 * static_cast<double>(words.size());
    };
    entry(hex(sure_of_first), "class " + figure_.class_names[0]);
    entry(hex(sure_of_second), "class " + figure_.class_names[1]);
    entry("#b4b4b4", "unlabeled");
  }

  // A path of zero-length strokes with round ends is the shortest way to say many equal dots.
  void dots(int wanted, const std::string& colour, double size, double opacity) {
    add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linecap=\"round\" opacity=\"{:g}\" "
        "d=\"",
        colour, size, opacity);
    for (const ToyFigurePoint& point : figure_.points) {
      if (std::clamp(point.label, -1, 1) != wanted || !inside(point)) continue;
      const double x = left_ + panel_width * (point.x - figure_.x_low) / (figure_.x_high - figure_.x_low);
      const double y = head + panel_height * (figure_.y_high - point.y) / (figure_.y_high - figure_.y_low);
      add("M{:.1f} {:.1f}h0", x, y);
    }
    text_ += "\"/>\n";
  }

  void points(bool with_unlabeled, double opacity) {
    const double size = with_unlabeled ? 4.5 : 3.0;
    if (with_unlabeled) dots(-1, "#b4b4b4", 4.0, 1.0);
    dots(0, with_unlabeled ? hex(sure_of_first) : "#123a63", size, opacity);
    dots(1, with_unlabeled ? hex(sure_of_second) : "#7a3300", size, opacity);
  }

  bool inside(const ToyFigurePoint& point) const {
    return point.x >= figure_.x_low && point.x <= figure_.x_high && point.y >= figure_.y_low &&
           point.y <= figure_.y_high;
  }

  // One path per shade, one rectangle per run of equal cells, in units of cells: a small fraction of the size
  // of one element per cell.
  void map(const Matrix& probability) {
    if (probability.n_rows() == 0 || probability.n_cols() == 0) return;
    std::vector<std::string> runs(n_shades + 1);
    for (Index row = 0; row < probability.n_rows(); ++row) {
      for (Index first = 0, last = 0; first < probability.n_cols(); first = last) {
        const int number = shade_number(probability(row, first));
        while (last < probability.n_cols() && shade_number(probability(row, last)) == number) ++last;
        fmt::format_to(std::back_inserter(runs[static_cast<std::size_t>(number)]), "M{0} {1}h{2}v1h-{2}z",
                       first, row, last - first);
      }
    }
    add("<g shape-rendering=\"crispEdges\" transform=\"translate({:g} {:g}) scale({:.6g} {:.6g})\">\n", left_,
        head + panel_height, panel_width / static_cast<double>(probability.n_cols()),
        -panel_height / static_cast<double>(probability.n_rows()));
    for (int number = 0; number <= n_shades; ++number)
      if (const std::string& path = runs[static_cast<std::size_t>(number)]; !path.empty())
        add("<path fill=\"{}\" d=\"{}\"/>\n", shade(static_cast<double>(number) / n_shades), path);
    text_ += "</g>\n";
  }

  void colour_bar(double y) {
    const double length = 320;
    const double x = width_ / 2 - length / 2;
    add("<defs><linearGradient id=\"scale\"><stop offset=\"0\" stop-color=\"{}\"/><stop offset=\".5\" "
        "stop-color=\"{}\"/><stop offset=\"1\" stop-color=\"{}\"/></linearGradient></defs>\n",
        hex(sure_of_first), hex(unknown), hex(sure_of_second));
    add("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"12\" fill=\"url(#scale)\" stroke=\"#888\"/>\n",
        x, y - 10, length);
    label(x - 8, y, "end", "sure of class " + figure_.class_names[0]);
    label(x + length + 8, y, "start", "sure of class " + figure_.class_names[1]);
    label(x + length / 2, y + 20, "middle", "white: does not know");
  }

  const ToyFigure& figure_;
  std::string text_;
  double width_ = 0.0;
  double left_ = 0.0;
};

} // namespace

std::string toy_figure_svg(const ToyFigure& figure) {
  return Writer(figure).svg();
}

} // namespace lacuna
