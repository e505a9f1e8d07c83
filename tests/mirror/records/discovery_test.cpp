#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace shelfd;
using mirror::Discovery;
using mirror::Envelope;
using mirror::Further;
using mirror::ParameterSupport;
using mirror::PlaceForm;

namespace {

void keeps(MirrorFixture& fixture, const Discovery& discovery)
{
    must(fixture.mirror->set_discovery("things", discovery));
    fixture.reopen();
    CHECK(must(fixture.mirror->discovery("things")) == discovery);
}

}  // namespace

TEST_CASE("what was learned of a list is read as it was written, whatever it is")
{
    MirrorFixture fixture({{.name = "things"}});
    keeps(fixture, {});
    for (const auto envelope : {Envelope::counted, Envelope::offset, Envelope::cursor, Envelope::uncounted,
                                Envelope::array, Envelope::object}) {
        keeps(fixture, {.envelope = envelope});
    }
    for (const auto further : {Further::page, Further::page_from_0, Further::offset, Further::page_size, Further::none,
                               Further::cut, Further::unknown}) {
        keeps(fixture, {.further = further, .whole_rows = 7});
    }
    for (const auto form : {PlaceForm::days, PlaceForm::instants, PlaceForm::unknown}) {
        keeps(fixture, {.place_form = form});
    }
    for (const auto support : {ParameterSupport::obeyed, ParameterSupport::ignored, ParameterSupport::refused,
                               ParameterSupport::incomplete, ParameterSupport::undated, ParameterSupport::unknown}) {
        keeps(fixture, {.ordering = support, .filter = support});
    }
    keeps(fixture, {.unproven = "the list returned 95 rows, but the service counts 96"});
}

TEST_CASE("what was learned is kept in words, and what is unknown as null")
{
    MirrorFixture fixture({{.name = "things"}});
    must(fixture.mirror->set_discovery(
        "things", {.envelope = Envelope::uncounted, .place_form = PlaceForm::days, .further = Further::page_from_0}));
    CHECK(fixture.one("SELECT envelope, place_form, further, filter FROM _resources") ==
          "uncounted|days|page_from_0|null");
    must(fixture.mirror->set_discovery("things", {}));
    CHECK(fixture.one("SELECT envelope, place_form, further, filter FROM _resources") == "null|null|null|null");
}
