#include "ctl/screen/terminal.hpp"

#include "base/words/safe_text.hpp"
#include "ctl/screen/output_check.hpp"
#include "ctl/screen/wrap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cwchar>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

struct Character {
    std::size_t bytes;
    std::size_t columns;
};

// The first character of `text`. Bytes that are no character in this locale count as one column each, as on terminals.
Character next_character(std::string_view text)
{
    std::mbstate_t state{};
    wchar_t wide = 0;
    const auto bytes = std::mbrtowc(&wide, text.data(), text.size(), &state);
    if (bytes == 0 || bytes > text.size()) {
        return {1, 1};
    }
    const int columns = ::wcwidth(wide);
    return {bytes, columns < 0 ? 0 : static_cast<std::size_t>(columns)};
}

Terminal::Sink sink_to(std::FILE* file)
{
    return [file](std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::fflush(file);
    };
}

std::vector<std::string_view> split_lines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Columns of a text with colours, which have none.
std::size_t styled_width(std::string_view text)
{
    std::size_t width = 0;
    while (!text.empty()) {
        const auto colour = std::min(text.find("\x1b["), text.size());
        width += display_width(text.substr(0, colour));
        text.remove_prefix(colour);
        const auto end = text.find('m');
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return width;
}

// The size of a terminal; 24 lines of 80 columns if it does not say.
winsize size_of(int descriptor)
{
    winsize size{};
    const bool is_known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0;
    size.ws_col = is_known && size.ws_col > 0 ? size.ws_col : 80;
    size.ws_row = is_known && size.ws_row > 0 ? size.ws_row : 24;
    return size;
}

std::string_view code_of(Colour colour)
{
    switch (colour) {
    case Colour::none: return "0";
    case Colour::red: return "31";
    case Colour::yellow: return "33";
    case Colour::green: return "32";
    case Colour::dim: return "2";
    case Colour::bold: return "1";
    }
    std::abort();
}

}  // namespace

StyledText& StyledText::operator+=(std::string_view text)
{
    bytes_ += escape_text(text);
    return *this;
}

StyledText& StyledText::operator+=(const StyledText& text)
{
    bytes_ += text.bytes_;
    return *this;
}

Terminal Terminal::standard(bool colour)
{
    Traits traits;
    traits.is_terminal = ::isatty(STDOUT_FILENO) == 1;
    traits.can_ask = ::isatty(STDIN_FILENO) == 1;
    traits.colour = colour && traits.is_terminal;
    if (traits.is_terminal) {
        const auto size = size_of(STDOUT_FILENO);
        traits.width = size.ws_col;
        traits.height = size.ws_row;
    }
    traits.error_width = ::isatty(STDERR_FILENO) == 1 ? size_of(STDERR_FILENO).ws_col : 0;
    traits.has_failed = [] { return std::ferror(stdout) != 0; };
    traits.check_output = [] { return ctl::check_output(STDOUT_FILENO); };
    return Terminal(sink_to(stdout), sink_to(stderr), traits);
}

void Terminal::clear_progress()
{
    std::string cleared;
    for (; progress_lines_ > 0; --progress_lines_) {
        cleared += cleared.empty() ? "\r\x1b[K" : "\x1b[A\x1b[K";
    }
    if (!cleared.empty()) {
        out_(cleared);
    }
}

void Terminal::write(std::string_view safe)
{
    clear_progress();
    out_(safe);
}

std::string Terminal::wrapped(std::string safe) const
{
    return traits_.is_terminal ? wrap(safe, traits_.width) : std::move(safe);
}

void Terminal::print(std::string_view text)
{
    write(wrapped(escape_text(text)));
}

void Terminal::print(const StyledText& text)
{
    write(wrapped(text.bytes()));
}

void Terminal::print_exact(std::string_view text)
{
    traits_.is_terminal ? write(escape_text(text)) : write(text);
}

void Terminal::print_json(std::string_view json)
{
    traits_.is_terminal ? write(escape_json(json)) : write(json);
}

void Terminal::complain(std::string_view text)
{
    clear_progress();
    const auto line = fmt::format("shelfctl: {}\n", escape_text(text));
    err_(traits_.error_width > 0 ? wrap(line, traits_.error_width) : line);
}

void Terminal::show_progress(const std::string& line)
{
    if (traits_.is_terminal) {
        constexpr std::size_t most = 4;  // lines
        clear_progress();
        const auto width = traits_.width - 1;  // in the last column some terminals begin the next line
        const auto whole = wrap(escape_line(line), width);
        for (const auto part : split_lines(whole)) {
            if (progress_lines_ < most) {
                out_((progress_lines_ == 0 ? "" : "\n") + cut_to_width(part, width));
                ++progress_lines_;
            }
        }
    }
}

void Terminal::redraw(const StyledText& text)
{
    if (!traits_.is_terminal) {
        print(text);
        out_("\n");
        return;
    }
    const auto whole = wrapped(text.bytes());
    const auto lines = split_lines(whole);
    const auto room = std::max<std::size_t>(traits_.height, 2) - 1;  // the cursor stays on the last line
    std::string screen = "\x1b[H";
    std::size_t used = 0;
    std::size_t shown = 0;
    for (; shown < lines.size(); ++shown) {
        const auto width = styled_width(lines[shown]);
        const auto rows = std::max<std::size_t>((width + traits_.width - 1) / traits_.width, 1);
        const std::size_t for_rest = shown + 1 < lines.size() ? 1 : 0;
        if (used + rows + for_rest > room) {
            break;
        }
        used += rows;
        screen += fmt::format("{}\x1b[K\n", lines[shown]);
    }
    if (shown < lines.size()) {
        screen += fmt::format("({} more lines)\x1b[K\n", lines.size() - shown);
    }
    clear_progress();
    out_(screen + "\x1b[J");
}

StyledText Terminal::paint(Colour colour, std::string_view text) const
{
    StyledText painted;
    painted += text;
    if (traits_.colour && colour != Colour::none) {
        painted.bytes_ = fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), painted.bytes_);
    }
    return painted;
}

std::size_t display_width(std::string_view text)
{
    std::size_t width = 0;
    while (!text.empty()) {
        const auto character = next_character(text);
        width += character.columns;
        text.remove_prefix(character.bytes);
    }
    return width;
}

std::string cut_to_width(std::string_view text, std::size_t width)
{
    std::size_t columns = 0;
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const auto character = next_character(text.substr(bytes));
        if (columns + character.columns > width) {
            break;
        }
        columns += character.columns;
        bytes += character.bytes;
    }
    return std::string(text.substr(0, bytes));
}

}  // namespace shelfd::ctl
