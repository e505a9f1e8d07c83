// Text that must not be printed and is wiped when destroyed: tokens, client secrets.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace shelfd {

// Move-only, so that every copy is visible as `clone()`. Deliberately has no stream operator and no formatter. Not
// thread-safe; one owner at a time.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text) : text_(std::move(text)) { wipe(text); }
    Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret() { wipe(text_); }

    // The text itself, for the code that sends or stores it.
    std::string_view reveal() const { return text_; }
    Secret clone() const { return Secret(std::string(text_)); }
    bool empty() const { return text_.empty(); }

    // Constant-time comparison: the time depends on the lengths only.
    bool equals(const Secret& other) const;

    // Overwrites the whole buffer in a way that the optimiser may not remove, then empties it.
    static void wipe(std::string& text) noexcept;

private:
    std::string text_;
};

}  // namespace shelfd
