#include "oauth/endpoint/canary_answer.hpp"

namespace shelfd::oauth {

bool accepts(CanaryAnswer answer)
{
    return answer == CanaryAnswer::ours || answer == CanaryAnswer::wrong_library;
}

bool refuses(CanaryAnswer answer)
{
    return answer == CanaryAnswer::refused || answer == CanaryAnswer::refused_as_invalid;
}

bool proves_path(CanaryAnswer answer)
{
    return accepts(answer) || refuses(answer) || answer == CanaryAnswer::forbidden;
}

}  // namespace shelfd::oauth
