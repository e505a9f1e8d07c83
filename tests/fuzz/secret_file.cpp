// A file that holds a secret.
#include "config/secrets/secret_source.hpp"
#include "fuzz/input.hpp"
#include "fuzz/scratch_file.hpp"

#include <string>

using namespace shelfd;
using namespace shelfd::config;
using fuzz::promise;

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

Result<Secret> read(const fuzz::ScratchFile& file, std::string_view content)
{
    file.fill(content);
    SecretReference reference;
    reference.kind = SecretReference::Kind::file;
    reference.path_or_name = file.path();
    return read_secret(reference, "");
}

// The same file as the service manager passes it.
Result<Secret> read_credential(const fuzz::ScratchFile& file)
{
    const auto path = file.path();
    const auto slash = path.rfind('/');
    SecretReference reference;
    reference.kind = SecretReference::Kind::credential;
    reference.path_or_name = path.substr(slash + 1);
    return read_secret(reference, path.substr(0, slash));
}

// The name of the file, which a fuzzer learns, may be quoted.
bool quotes(const Error& error, const fuzz::ScratchFile& file, std::string_view content)
{
    auto text = error.text();
    for (auto at = text.find(file.path()); at != std::string::npos; at = text.find(file.path())) {
        text.erase(at, file.path().size());
    }
    return fuzz::quotes(text, content);
}

void check_secret(const fuzz::ScratchFile& file, const Secret& secret, std::string_view content)
{
    const auto text = std::string(secret.reveal());
    promise(!text.empty() && text.size() <= 65'536, "a secret has a length");
    promise(content.find(text) != std::string_view::npos, "it is what the file holds");
    promise(text.find_first_of(std::string_view("\n\0", 2)) == std::string::npos, "in one line");
    constexpr std::string_view blanks = " \t\r";
    promise(blanks.find(text.front()) == blanks.npos && blanks.find(text.back()) == blanks.npos,
            "without blanks around it");
    if (text.size() > 65'000 || text.starts_with(byte_order_mark)) {
        return;
    }
    for (const auto& written :
         {text, text + "\n", " " + text + "\t\r\n", std::string(byte_order_mark) + text + " \n "}) {
        const auto again = read(file, written);
        promise(again && again->equals(secret), "what editors leave around a secret does not matter");
    }
    const auto twice = read(file, text + "\n" + text);
    promise(!twice && !quotes(twice.error(), file, text), "two lines are no secret");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const fuzz::ScratchFile file;
    const auto content = fuzz::text_of(data, size);
    const auto secret = read(file, content);
    const auto credential = read_credential(file);
    promise(secret.has_value() == credential.has_value(), "a file and a credential hold the same");
    if (secret) {
        promise(secret->equals(*credential), "byte by byte");
        check_secret(file, *secret, content);
        return 0;
    }
    for (const auto* error : {&secret.error(), &credential.error()}) {
        promise(error->kind() == ErrorKind::config && !error->text().empty(),
                "what is no secret is refused with a reason");
        promise(!quotes(*error, file, content), "which quotes nothing of it");
    }
    promise(secret.error().text().find(file.path()) != std::string::npos, "and names the file");
    return 0;
}
