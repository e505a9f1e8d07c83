// Writes the Prometheus text format: metrics, each with all of its samples.
#pragma once

#include "control/model/status.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::control {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

// `labels` and one more.
Labels with(Labels labels, std::string_view name, std::string_view value);

// One metric: HELP and TYPE, then its samples. The format wants them together: write no other metric between them. An
// empty time is no sample; without samples nothing is written. The texts must outlive the object.
class Family {
public:
    Family(std::string& out, std::string_view name, std::string_view type, std::string_view help)
        : out_(out), name_(name), type_(type), help_(help)
    {
    }

    void count(const Labels& labels, std::uint64_t value);
    void number(const Labels& labels, double value);
    void time(const Labels& labels, const std::optional<Instant>& at);
    void histogram(const Labels& labels, const Histogram& histogram);

private:
    void write(const Labels& labels, std::string_view value, std::string_view suffix = "");

    std::string& out_;
    std::string_view name_;
    std::string_view type_;
    std::string_view help_;
    bool begun_ = false;
};

}  // namespace shelfd::control
