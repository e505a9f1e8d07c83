#include "ctl/screen/wrap.hpp"

#include "ctl/screen/terminal.hpp"

#include <algorithm>
#include <vector>

namespace shelfd::ctl {
namespace {

struct Piece {
    std::size_t blanks;  // before it
    std::string text;
    std::size_t width;
};

std::string without_colours(std::string_view text)
{
    std::string plain;
    while (!text.empty()) {
        const auto begin = std::min(text.find("\x1b["), text.size());
        plain += text.substr(0, begin);
        text.remove_prefix(begin);
        text.remove_prefix(text.empty() ? 0 : std::min(text.find('m'), text.size() - 1) + 1);
    }
    return plain;
}

std::vector<Piece> pieces_of(std::string_view line)
{
    std::vector<Piece> pieces;
    while (!line.empty()) {
        const auto blanks = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(blanks);
        const auto end = std::min(line.find(' '), line.size());
        const auto text = std::string(line.substr(0, end));
        pieces.push_back({blanks, text, display_width(without_colours(text))});
        line.remove_prefix(end);
    }
    return pieces;
}

bool begins_command(const std::string& plain)
{
    return plain == "shelfctl" || plain == "sudo" || plain == "systemctl";
}

bool ends_clause(const std::string& plain)
{
    return plain.empty() || std::string_view(";,:)").find(plain.back()) != std::string_view::npos;
}

// Joins the words of each command that fits in `room` columns.
std::vector<Piece> join_commands(std::vector<Piece> pieces, std::size_t room)
{
    std::vector<Piece> joined;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        auto piece = pieces[i];
        auto last = i;
        if (begins_command(without_colours(piece.text))) {
            while (last + 1 < pieces.size() && !ends_clause(without_colours(pieces[last].text))) {
                ++last;
                piece.text += std::string(pieces[last].blanks, ' ') + pieces[last].text;
                piece.width += pieces[last].blanks + pieces[last].width;
            }
        }
        const bool fits = piece.width <= room;
        joined.push_back(fits ? std::move(piece) : pieces[i]);
        i = fits ? last : i;
    }
    return joined;
}

std::string wrap_line(std::string_view line, std::size_t width)
{
    constexpr std::size_t more = 2;
    const auto leading = std::min(line.find_first_not_of(' '), line.size());
    const auto indent = std::min(leading + more, width / 2);
    std::string wrapped;
    std::size_t column = 0;
    bool is_begun = false;  // the present line has a word
    for (const auto& piece : join_commands(pieces_of(line), width - indent)) {
        if (is_begun && column + piece.blanks + piece.width > width) {
            wrapped += "\n" + std::string(indent, ' ');
            column = indent;
        } else {
            wrapped += std::string(piece.blanks, ' ');
            column += piece.blanks;
        }
        wrapped += piece.text;
        column += piece.width;
        is_begun = true;
    }
    return wrapped;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width)
{
    std::string wrapped;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        const bool fits = line.size() <= width || display_width(without_colours(line)) <= width;
        wrapped += fits ? std::string(line) : wrap_line(line, width);
        wrapped += end < text.size() ? "\n" : "";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return wrapped;
}

}  // namespace shelfd::ctl
