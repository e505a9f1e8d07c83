#include "budget/tally.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <numeric>

namespace shelfd::budget {

const char* to_string(Reason reason)
{
    switch (reason) {
    case Reason::page: return "page";
    case Reason::closing: return "closing";
    case Reason::witness: return "witness";
    case Reason::filter_try: return "filter_try";
    case Reason::end_try: return "end_try";
    case Reason::detail: return "detail";
    case Reason::canary: return "canary";
    case Reason::verify: return "verify";
    case Reason::get: return "get";
    case Reason::probe: return "probe";
    case Reason::resent: return "resent";
    }
    std::abort();
}

void Tally::count(Reason reason, std::uint32_t times)
{
    if (times > 0) {
        ++counts_[static_cast<std::size_t>(reason)];
        counts_[static_cast<std::size_t>(Reason::resent)] += times - 1;
    }
}

void Tally::add(Reason reason, std::uint64_t requests)
{
    counts_[static_cast<std::size_t>(reason)] += requests;
}

void Tally::add(const Tally& other)
{
    for (std::size_t i = 0; i < reasons; ++i) {
        counts_[i] += other.counts_[i];
    }
}

std::uint64_t Tally::total() const
{
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string Tally::to_json() const
{
    std::string text;
    for (std::size_t i = 0; i < reasons; ++i) {
        if (counts_[i] > 0) {
            text += fmt::format("{}\"{}\":{}", text.empty() ? "{" : ",", to_string(static_cast<Reason>(i)), counts_[i]);
        }
    }
    return text.empty() ? text : text + "}";
}

}  // namespace shelfd::budget
