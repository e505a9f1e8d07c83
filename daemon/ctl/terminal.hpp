// Where shelfctl writes: results, complaints, and a line of progress that replaces itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

enum class Colour { none, red, yellow, green, dim, bold };

// Single-threaded. A failed write is remembered, not reported here.
class Terminal {
public:
    using Sink = std::function<void(std::string_view)>;
    struct Traits {
        bool is_terminal = false;  // standard output
        bool colour = false;
        std::size_t width = 80;  // columns
        bool can_ask = false;    // standard input is a terminal, too: somebody can answer
    };

    Terminal(Sink out, Sink err, Traits traits) : out_(std::move(out)), err_(std::move(err)), traits_(traits) {}

    // Standard output and error of this process. `colour` as wished; without a terminal there is none.
    static Terminal standard(bool colour);

    bool is_terminal() const { return traits_.is_terminal; }
    bool can_ask() const { return traits_.can_ask; }

    // Text as it is, on standard output.
    void print(std::string_view text);
    // "shelfctl: TEXT", on standard error.
    void complain(std::string_view text);
    // A line that the next one, or whatever is printed next, replaces. Cut to the width. On a terminal only.
    void show_progress(const std::string& line);
    void clear_screen();

    // As it is where there is no colour.
    std::string paint(Colour colour, std::string_view text) const;

private:
    void clear_progress();

    Sink out_;
    Sink err_;
    Traits traits_;
    bool progress_shown_ = false;
};

// Columns a text takes on a terminal, by wcwidth(3) in the locale of the process; control characters take none.
std::size_t display_width(std::string_view text);
// The longest beginning of at most `width` columns that ends between two characters.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace shelfd::ctl
