#include "base/sha256.hpp"
#include "support/catch.hpp"

namespace shelfd {
namespace {

// FIPS 180-4 examples and the NIST short and long message vectors.
TEST_CASE("SHA-256 gives the published digests")
{
    struct Row {
        const char* name;
        std::string text;
        const char* digest;
    };
    const std::vector<Row> rows = {
        {"empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a million times a", std::string(1'000'000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        REQUIRE(to_hex(sha256(row.text)) == row.digest);
    }
}

TEST_CASE("a digest does not depend on how the bytes are cut into pieces")
{
    std::string text;
    for (int i = 0; i < 300; ++i) {
        text += static_cast<char>('a' + i % 26);
    }
    for (std::size_t piece = 1; piece < 130; ++piece) {
        Sha256 hash;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            hash.update(std::string_view(text).substr(at, piece));
        }
        REQUIRE(hash.finish() == sha256(text));
    }
}

}  // namespace
}  // namespace shelfd
