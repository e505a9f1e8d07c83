#include "config/bind/reader.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::config {

Reader::Reader(std::vector<const Node*> layers, std::string prefix, Origins* origins)
    : layers_(std::move(layers)), prefix_(std::move(prefix)), origins_(origins)
{
    layers_.erase(std::remove(layers_.begin(), layers_.end(), nullptr), layers_.end());
}

const Node* Reader::find(std::string_view key) const
{
    for (const auto* layer : layers_) {
        if (const auto* node = layer->find(key)) {
            return node;
        }
    }
    return nullptr;
}

bool Reader::has_unknown() const
{
    return std::any_of(layers_.begin(), layers_.end(), [](const Node* layer) {
        return std::any_of(layer->children.begin(), layer->children.end(), [](const Node& n) { return n.unknown; });
    });
}

bool Reader::lacks(std::string_view key) const
{
    return !has(key) && !has_unknown();
}

const Node* Reader::take(std::string_view key) const
{
    const auto* node = find(key);
    if (node == nullptr || node->faulty) {
        return nullptr;
    }
    if (origins_ != nullptr) {
        (*origins_)[prefix_ + std::string(key)] = node->key_position;
    }
    return node;
}

void Reader::read(std::string_view key, std::string& value) const
{
    if (const auto* node = take(key)) {
        value = scalar_text(*node);
    }
}

void Reader::read(std::string_view key, bool& value) const
{
    if (const auto* node = take(key)) {
        value = node->boolean;
    }
}

void Reader::read(std::string_view key, std::uint32_t& value) const
{
    if (const auto* node = take(key)) {
        value = static_cast<std::uint32_t>(node->integer);
    }
}

void Reader::read(std::string_view key, Duration& value) const
{
    if (const auto* node = take(key)) {
        value = parse_duration(node->text).value_or(value);
    }
}

void Reader::read(std::string_view key, std::vector<std::string>& value) const
{
    if (const auto* node = take(key)) {
        value.clear();
        for (const auto& element : node->children) {
            value.push_back(element.text);
        }
    }
}

void Reader::read(std::string_view key, std::map<std::string, std::string>& value) const
{
    if (const auto* node = take(key)) {
        value.clear();
        for (const auto& member : node->children) {
            value[member.key] = scalar_text(member);
        }
    }
}

std::string scalar_text(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::integer: return std::to_string(node.integer);
    case Node::Kind::boolean: return node.boolean ? "true" : "false";
    default: return node.text;
    }
}

}  // namespace shelfd::config
