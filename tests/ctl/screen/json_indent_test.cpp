#include "ctl/screen/json_indent.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

TEST_CASE("indented JSON has a member a line, and every value as it was sent")
{
    CHECK(*indented(R"({"a":1.50,"b":[1e400,-0.0,"x, {y}: \"z\""],"c":{},"d":[ ],"e":{"f":null}})") == R"({
  "a": 1.50,
  "b": [
    1e400,
    -0.0,
    "x, {y}: \"z\""
  ],
  "c": {},
  "d": [],
  "e": {
    "f": null
  }
})");
    CHECK(*indented(" [ true ,\n false ] \n") == "[\n  true,\n  false\n]");
}

TEST_CASE("what is no JSON is left alone")
{
    for (const auto* text : {"", "{", "[1}", "]", "{\"a", "<html>,", "{\"a\\"}) {
        INFO(text);
        CHECK_FALSE(indented(text));
    }
}

}  // namespace
}  // namespace shelfd::ctl
