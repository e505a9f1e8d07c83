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

const MemberPlaces& Layouts::of(std::span<const Member> members)
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
    auto& member_places = layouts_[joined];
    if (member_places == nullptr) {
        member_places = make(members);
    }
    last_ = member_places.get();
    return *last_;
}

void Layouts::forget_many()
{
    if (layouts_.size() > many) {
        layouts_.clear();
        last_ = nullptr;
    }
}

std::unique_ptr<MemberPlaces> Layouts::make(std::span<const Member> members)
{
    auto member_places = std::make_unique<MemberPlaces>();
    std::vector<std::string> keys;                        // distinct ones
    std::unordered_map<std::string, std::size_t> newest;  // position of the last member with a key
    bool nameable = true;
    for (const auto& member : members) {
        std::string key;
        MemberPlaces::Place place;
        if (unescape(member.key, key) == Fidelity::replaced || key.find('\0') != std::string::npos) {
            place.treatment = MemberPlaces::Treatment::exact_only;
            nameable = false;
        } else {
            place.column = columns_.place_of(key);
            const auto [before, first] = newest.try_emplace(key, member_places->places.size());
            if (first) {
                keys.push_back(key);
            } else {
                member_places->places[before->second].treatment = MemberPlaces::Treatment::exact_only;
                place.treatment = MemberPlaces::Treatment::twice;
                before->second = member_places->places.size();
                member_places->key_repeated = member_places->key_repeated || place.column < columns_.key_size();
            }
        }
        member_places->places.push_back(place);
    }
    if (nameable) {
        member_places->shape = shapes_.number_of(keys);
    }
    return member_places;
}

}  // namespace shelfd::mirror
