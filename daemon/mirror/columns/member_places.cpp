#include "mirror/columns/member_places.hpp"

#include "mirror/json/text.hpp"

#include <algorithm>

namespace shelfd::mirror {

namespace {

constexpr std::size_t many = 1024;

}  // namespace

bool Layouts::is_last(std::span<const Member> members) const
{
    return last_ != nullptr &&
           std::equal(members.begin(), members.end(), last_keys_.begin(), last_keys_.end(),
                      [](const Member& member, const std::string& key) { return member.key == key; });
}

const Layout& Layouts::of(std::span<const Member> members)
{
    if (is_last(members)) {
        return *last_;
    }
    std::string joined;
    last_keys_.clear();
    for (const auto& member : members) {
        joined.append(member.key).append(1, '\0');
        last_keys_.emplace_back(member.key);
    }
    auto& layout = layouts_[joined];
    if (layout == nullptr) {
        layout = make(members);
    }
    last_ = layout.get();
    return *last_;
}

void Layouts::forget_many()
{
    if (layouts_.size() > many) {
        layouts_.clear();
        last_ = nullptr;
    }
}

std::unique_ptr<Layout> Layouts::make(std::span<const Member> members)
{
    auto layout = std::make_unique<Layout>();
    std::vector<std::string> keys;                        // distinct ones
    std::unordered_map<std::string, std::size_t> newest;  // place of the last member with a key
    bool nameable = true;
    for (const auto& member : members) {
        std::string key;
        Layout::Place place;
        if (unescape(member.key, key) == Fidelity::replaced || key.find('\0') != std::string::npos) {
            place.treatment = Layout::Treatment::exact_only;
            nameable = false;
        } else {
            place.column = columns_.place_of(key);
            const auto [before, first] = newest.try_emplace(key, layout->places.size());
            if (first) {
                keys.push_back(key);
            } else {
                layout->places[before->second].treatment = Layout::Treatment::exact_only;
                place.treatment = Layout::Treatment::twice;
                before->second = layout->places.size();
                layout->key_repeated = layout->key_repeated || place.column < columns_.key_size();
            }
        }
        layout->places.push_back(place);
    }
    if (nameable) {
        layout->shape = shapes_.number_of(keys);
    }
    return layout;
}

}  // namespace shelfd::mirror
