// The English letter, as in config/letters/en.txt: `auth ask` needs no file for it.
#pragma once

namespace shelfd::ctl {

inline constexpr const char* english_letter =
    R"letter(# The letter to the owner of a library, in English, printed by: shelfctl auth ask LIB
# To change it, copy this file to /etc/shelfd/letters/en.txt. Lines before "---" are sentences that the letter needs,
# by name; the letter follows. Words in braces are filled in. {reason} is the sentence for the state of the token set,
# reason_any if the state has none; without reason_any, what shelfctl status says, in English. {ahead} is the time left
# until {deadline}, in English. {lacked} are the scopes that the present set lacks; when_lacking may be left out.
when_unknown = As soon as it suits you. The state of the present token set is unknown here.
when_none = As soon as it suits you: there is no token set yet, and nothing is copied without one.
when_deadline = Before {deadline}: the present access works until then; after that the copy is no longer updated. The reason: {reason}.
when_now = Now, please: the copy is no longer updated. The reason: {reason}.
when_since = Now, please: the copy is no longer updated since {since}. The reason: {reason}.
when_any = There is no hurry: the present token set works. A new one takes its place without a gap.
when_lacking = Soon, please: the present token set works, but lacks {lacked}, so a part of the data is not copied. A new one takes its place without a gap.
reason_lost = a new token set was lost on its way to us, and the old one no longer works
reason_foreign = the service no longer accepts the refresh token: it was used elsewhere, revoked, or issued to another application
reason_ended = the access token has expired, and there is no refresh token
reason_ends = the set has no refresh token, so it cannot be renewed
reason_wrong_library = the token belongs to another library
reason_other_service = the set was issued by another service, or to another application
reason_configuration = the service refuses our application
reason_moved = the set was moved to another machine
reason_copied = the set that we keep looks copied or restored, so it is not used
reason_unreadable = the set that we keep cannot be read
reason_unstored = a new set cannot be stored here
reason_blocked = a fault on our machine, or in its connection to the service, prevents the renewal
reason_in_doubt = it is not known whether the last renewal succeeded
reason_any = the token set needs attention
kind_service = a Service Account Token: it belongs to the library, not to a person who may leave
kind_personal = a Personal Token, made by a user who may read everything that is to be copied
scopes_any = those that allow reading (the configuration names none)
questions = Questions go to {contact}.
---
Subject: a token set for the library {library}

We keep a copy of your library's data and need a token set for it, which only you can make. It takes five minutes.

Where
  1. Log in at {auth_url} as somebody who may change the settings of the library.
  2. Go to Library Settings, API Settings, Connected Applications.
  3. Find the application with the client ID {client_id}. If it is not in the list, add it on the
     API Settings page first.
  4. Choose Manage tokens and make a new token.

What
  Kind:    {kind}
  Scopes:  {scopes}
  The page shows an access token and a refresh token. We need both.

By when
  {when}

How to hand it over
  Not by mail and not in a chat: whoever reads the refresh token can use it, once, and then we cannot.
  Best in a call, while one of us types: shelfctl auth import {library}
  Our program replaces the set at once, so that the tokens that you saw stop working a second later. Do not test
  the set before, and do not give it to another program: make one set for each program.

{questions}
)letter";

}  // namespace shelfd::ctl
