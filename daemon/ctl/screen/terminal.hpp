// Where shelfctl writes: results, complaints, and a line of progress that replaces itself. What services and files hold
// passes here on its way to a screen, and nowhere else: so this is where it is made safe (runtime/log/escape.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

enum class Colour { none, red, yellow, green, dim, bold };

// Text that was made safe, with colours around parts of it, which only a Terminal can put there.
class StyledText {
public:
    StyledText() = default;
    // Made safe; line feeds and tabs stay.
    explicit StyledText(std::string_view text) { *this += text; }
    StyledText& operator+=(std::string_view text);
    StyledText& operator+=(const StyledText& text);
    // As it goes out.
    const std::string& bytes() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    friend bool operator==(const StyledText& text, std::string_view bytes) { return text.bytes_ == bytes; }

private:
    friend class Terminal;
    std::string bytes_;
};

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

    // For people, on standard output: made safe, wherever that leads.
    void print(std::string_view text);
    void print(const StyledText& text);
    // For programs: as it is, byte for byte. On a screen, where no program reads it, it is made safe.
    void print_exact(std::string_view text);
    // The same for JSON, which is made safe in its own way: it stays JSON that means the same.
    void print_json(std::string_view json);
    // "shelfctl: TEXT", on standard error, made safe.
    void complain(std::string_view text);
    // A line that the next one, or whatever is printed next, replaces. Cut to the width. On a terminal only.
    void show_progress(const std::string& line);
    void clear_screen();

    // Without colour where there is none.
    StyledText paint(Colour colour, std::string_view text) const;

private:
    void clear_progress();
    void write(std::string_view safe);

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
