// SPDX-License-Identifier: Apache-2.0
#include "request_tricks.h"

#include <string_view>

#include "base/strings.h"
#include "pki/fake_request.h"

namespace fuzz {
namespace {

using pki::DerOf;
using pki::FakeAttribute;
using pki::FakeRequestDer;
using pki::FakeRequestPem;
using pki::FakeRequestSpec;
using pki::kFakeCommonName;
using pki::kFakeOrganization;
using Tricks = std::vector<Trick>;

const std::string kBegin = "-----BEGIN CERTIFICATE REQUEST-----\n";
const std::string kEnd = "-----END CERTIFICATE REQUEST-----\n";

std::string Wrapped(const std::string& der) { return pki::PemOf("CERTIFICATE REQUEST", der); }

FakeAttribute Cn(std::string value, std::uint8_t tag = 0x0C) {
  return {kFakeCommonName, std::move(value), tag};
}

FakeAttribute Org(std::string value = "system:nodes", std::uint8_t tag = 0x0C) {
  return {kFakeOrganization, std::move(value), tag};
}

// The request of a user who would like to be panda.
std::string Master() { return FakeRequestPem({.subject = {Org(), Cn("system:node:master-0")}}); }

// Tricks with content before and after the block and at the ends of lines.
void AddAround(Tricks& all) {
  const std::string good = FakeRequestPem({});
  const std::string master = Master();
  const std::string nul(1, '\0');
  const auto replaced = [&](std::string_view from, std::string_view to) {
    return base::ReplaceAll(good, from, to);
  };
  for (Trick& trick :
       Tricks{{"plain", good},
              {"CRLF", replaced("\n", "\r\n")},
              {"CR", replaced("\n", "\r")},
              {"LF CR", replaced("\n", "\n\r")},
              {"two CRs", replaced("\n", "\r\r\n")},
              {"blanks at line ends", replaced("\n", " \n")},
              {"tabs at line ends", replaced("\n", "\t\n")},
              {"blanks at line beginnings", replaced("\n", "\n ")},
              {"empty lines", replaced("\n", "\n\n")},
              {"form feeds", replaced("\n", "\f\n")},
              {"vertical tabs", replaced("\n", "\v\n")},
              {"next lines", replaced("\n", "\xC2\x85\n")},
              {"NULs at line ends", replaced("\n", nul + "\n")},
              {"no line end at the end", good.substr(0, good.size() - 1)},
              {"CR at the end", good.substr(0, good.size() - 1) + "\r"},
              {"NUL at the end", good + nul},
              {"NUL first", nul + good},
              {"mark of byte order", "\xEF\xBB\xBF" + good},
              {"text first", "hello\n" + good},
              {"text first, no line end", "hello" + good},
              {"blank first", " " + good},
              {"CR first", "\r" + good},
              {"line end first", "\n" + good},
              {"text behind", good + "hello"},
              {"dashes behind", good + "-----"},
              {"two", good + master},
              {"the same twice", good + good},
              {"another label first", pki::PemOf("CERTIFICATE", "x") + good},
              {"empty block first", kBegin + kEnd + good},
              {"small letters", base::ToLower(good)},
              {"END in small letters", replaced("-----END CERT", "-----end CERT")},
              {"old label", replaced("CERTIFICATE", "NEW CERTIFICATE")},
              {"labels that differ", replaced("END CERTIFICATE REQUEST", "END CERTIFICATE")},
              {"blank behind the label", replaced("REQUEST-----", "REQUEST -----")},
              {"blank behind BEGIN's dashes", replaced(kBegin, kBegin.substr(0, 35) + " \n")},
              {"text behind END's dashes",
               replaced("END CERTIFICATE REQUEST-----", "END CERTIFICATE REQUEST-----x")},
              {"six dashes", replaced("-----BEGIN", "------BEGIN")},
              {"em dashes", replaced("-----BEGIN", "\xE2\x80\x94----BEGIN")},
              {"superfluous padding", replaced("\n-----END", "=\n-----END")},
              {"padding on a line of its own", replaced("\n-----END", "\n=\n-----END")},
              {"a group of padding", replaced("\n-----END", "\n====\n-----END")},
              {"a digit too many", replaced("\n-----END", "A\n-----END")},
              {"END twice", good + kEnd},
              {"END first", kEnd + good},
              {"all on one line",
               kBegin + base::ReplaceAll(good.substr(kBegin.size()), "\n", "") + "\n" + kEnd}}) {
    all.push_back(std::move(trick));
  }
}

// Tricks with a second request inside or next to the first.
void AddNested(Tricks& all) {
  const std::string good = FakeRequestPem({});
  const std::string master = Master();
  const std::string body = good.substr(kBegin.size());
  const std::string lines = body.substr(0, body.size() - kEnd.size());
  const std::string begin = kBegin.substr(0, kBegin.size() - 1);
  for (Trick& trick :
       Tricks{{"header", kBegin + "k: v\n\n" + body},
              {"header without an empty line", kBegin + "k: v\n" + body},
              {"colon alone", kBegin + ":\n" + body},
              {"encrypted", kBegin + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + body},
              {"header that holds BEGIN", kBegin + "k: " + master + body},
              {"header that is BEGIN", kBegin + begin + ": x\n" + body},
              {"header behind a BEGIN", "-----BEGIN x:-----\n" + good},
              {"header before END", kBegin + lines + "k: v\n" + kEnd},
              {"header only", kBegin + "k: v\n" + kEnd + good},
              {"header with END in it",
               kBegin + "k: v\n-----END CERTIFICATE REQUEST-----: x\n" + good},
              {"BEGIN twice", kBegin + good},
              {"BEGIN of another inside", kBegin + "-----BEGIN X-----\n" + body},
              {"BEGIN within a line", kBegin + "AAAA-----BEGIN CERTIFICATE REQUEST-----\n" + body},
              {"BEGIN at the end of the base64", kBegin + lines + "-----BEGIN \n" + kEnd},
              {"a whole one within a line", kBegin + "x" + master + body},
              {"END within a line", kBegin + "AAAA" + kEnd + good},
              {"END of another, then the rest", kBegin + lines + "-----END X-----\n" + master},
              {"no END, then another", kBegin + lines + master},
              {"no BEGIN, then another", lines + kEnd + master},
              {"broken one first", kBegin + "!!!!\n" + kEnd + good},
              {"padding behind a whole group first", kBegin + "AAAA=\n" + kEnd + good},
              {"master with superfluous padding, then panda",
               base::ReplaceAll(master, "\n-----END", "=\n-----END") + good},
              {"panda with superfluous padding, then master",
               base::ReplaceAll(good, "\n-----END", "=\n-----END") + master},
              {"panda with four of padding, then master",
               base::ReplaceAll(good, "\n-----END", "====\n-----END") + master},
              {"panda with padding on a line of its own, then master",
               base::ReplaceAll(good, "\n-----END", "\n=\n-----END") + master},
              {"panda with a group behind padding, then master",
               base::ReplaceAll(good, "\n-----END", "AA==AAAA\n-----END") + master},
              {"panda with a digit too many, then master",
               base::ReplaceAll(good, "\n-----END", "A\n-----END") + master},
              {"panda with a digit of URLs, then master",
               base::ReplaceAll(good, "\n-----END", "-_AA\n-----END") + master}}) {
    all.push_back(std::move(trick));
  }
}

// Tricks with base64 and DER that decoders may forgive.
void AddEncodings(Tricks& all) {
  const std::string der = FakeRequestDer({});
  const std::string text = base::Base64Encode(der + std::string((3 - der.size() % 3) % 3, '\0'));
  const auto block = [](const std::string& digits) { return kBegin + digits + "\n" + kEnd; };
  const std::string one = base::Base64Encode(der.substr(0, der.size() / 3 * 3 - 2));
  std::string spare = one;
  spare[spare.size() - 3] = static_cast<char>(spare[spare.size() - 3] + 1);
  std::string long_form = "\x30\x83" + std::string(1, '\0') + der.substr(2);
  for (Trick& trick : Tricks{
           {"one more byte", Wrapped(der + "x")},
           {"one byte less", Wrapped(der.substr(0, der.size() - 1))},
           {"padded by zeros", block(text)},
           {"padding missing", block(base::ReplaceAll(one, "=", ""))},
           {"spare bits", block(spare)},
           {"padding in the middle", block(one + text)},
           {"a blank in the middle", block(text.substr(0, 9) + " " + text.substr(9))},
           {"a tab in the middle", block(text.substr(0, 9) + "\t" + text.substr(9))},
           {"a NUL in the middle",
            block(text.substr(0, 9) + std::string(1, '\0') + text.substr(9))},
           {"a CR in the middle", block(text.substr(0, 9) + "\r" + text.substr(9))},
           {"a line a digit",
            block(base::Join(base::Split(base::ReplaceAll(text, "A", "A\n"), '\n'), "\n"))},
           {"empty", Wrapped("")},
           {"a length too long", Wrapped(long_form)},
           {"a length without an end", Wrapped("\x30\x80" + der.substr(4) + std::string(2, '\0'))},
           {"version 1", FakeRequestPem({.version = "\x01"})},
           {"version -1", FakeRequestPem({.version = "\xFF"})},
           {"version with a needless zero", FakeRequestPem({.version = std::string(2, '\0')})},
           {"version of nine octets", FakeRequestPem({.version = "\x01" + std::string(8, '\0')})},
           {"version of no octet", FakeRequestPem({.version = ""})},
           {"no attributes", FakeRequestPem({.has_attributes = false})}}) {
    all.push_back(std::move(trick));
  }
}

// Tricks with the name.
void AddSubjects(Tricks& all) {
  const std::string panda = "system:node:panda";
  const auto add = [&](std::string name, std::vector<FakeAttribute> subject) {
    all.push_back({std::move(name), FakeRequestPem({.subject = std::move(subject)})});
  };
  for (const std::uint8_t tag :
       {0x0C, 0x12, 0x13, 0x14, 0x16, 0x1A, 0x1C, 0x04, 0x02, 0x05, 0x80}) {
    add("name of type " + std::to_string(tag), {Org(), Cn(panda, tag)});
    add("organisation of type " + std::to_string(tag), {Org("system:nodes", tag), Cn(panda)});
    add("Latin letter of type " + std::to_string(tag), {Org(), Cn("p\xE9", tag)});
    add("second name of type " + std::to_string(tag), {Org(), Cn(panda), Cn("x", tag)});
  }
  std::string wide;
  for (const char c : panda) {
    wide += {'\0', c};
  }
  add("wide", {Org(), Cn(wide, 0x1E)});
  add("wide, ended by zeros", {Org(), Cn(wide + std::string(2, '\0'), 0x1E)});
  add("wide, of odd length", {Org(), Cn(wide + "x", 0x1E)});
  add("wide surrogates", {Org(), Cn("\xD8\x3D\xDE\x00", 0x1E)});
  add("a lone surrogate", {Org(), Cn("\xD8\x3D", 0x1E)});
  add("not a character", {Org(), Cn("\xFF\xFE", 0x1E)});
  add("NUL in the name", {Org(), Cn(panda + std::string("\0x", 2))});
  add("two names", {Org(), Cn(panda), Cn("system:node:master-0")});
  add("two names, other order", {Org(), Cn("system:node:master-0"), Cn(panda)});
  add("two organisations", {Org(), Org("system:masters"), Cn(panda)});
  add("empty organisation", {Org(), Org(""), Cn(panda)});
  add("nobody", {});
  add("unit", {Org(), {"\x55\x04\x0B", "x"}, Cn(panda)});
  add("serial number", {Org(), {"\x55\x04\x05", "x", 0x13}, Cn(panda)});
  add("bad UTF-8", {Org(), Cn("\xC3")});
  add("overlong UTF-8", {Org(), Cn("\xC1\xA1")});
  add("UTF-8 of a surrogate", {Org(), Cn("\xED\xA0\x80")});
  add("underscore as PrintableString", {Org(), Cn("a_b", 0x13)});
  add("star as PrintableString", {Org(), Cn("*&", 0x13)});
  add("a CN whose OID is longer", {Org(), {"\x55\x04\x03\x01", "system:node:master-0"}, Cn(panda)});
  add("a CN whose OID has a needless octet", {Org(), {"\x55\x04\x80\x03", "x"}, Cn(panda)});
  add("letters that look alike", {Org(), Cn("system:node:p\xD0\xB0nda")});
  add("a mark that turns the direction", {Org(), Cn("system:node:\xE2\x80\xAEpanda")});
}

// Tricks with alternative names.
void AddNames(Tricks& all) {
  const std::string nul(1, '\0');
  const auto add = [&](std::string name, FakeRequestSpec spec) {
    all.push_back({std::move(name), FakeRequestPem(spec)});
  };
  for (const std::size_t size : {0, 1, 3, 4, 5, 8, 15, 16, 17, 32}) {
    add("address of " + std::to_string(size), {.names = {{0x87, std::string(size, '\x01')}}});
  }
  add("mapped address", {.names = {{0x87, std::string(10, '\0') + "\xFF\xFF\x01\x02\x03\x04"}}});
  add("compatible address", {.names = {{0x87, std::string(12, '\0') + "\x01\x02\x03\x04"}}});
  for (const std::string& name :
       {std::string(), std::string("panda"), "panda" + nul + "x", std::string("PANDA"),
        std::string("panda."), std::string("*"), std::string("a b"), std::string("p\xC3\xA4"),
        std::string("\n"), std::string("xn--pnda-loa"), std::string(300, 'a')}) {
    for (const std::uint8_t tag : {0x81, 0x82, 0x86, 0x88, 0x89, 0x9E, 0x02, 0x0C, 0x16}) {
      add("name " + base::Quoted(name) + " of tag " + std::to_string(tag),
          {.names = {{tag, name}, {0x82, "panda"}}});
    }
  }
  for (const std::uint8_t tag : {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0x30}) {
    add("constructed " + std::to_string(tag), {.names = {{tag, DerOf(0x82, "x")}}});
  }
}

// Tricks with extensions and attributes.
void AddExtensions(Tricks& all) {
  const std::string nul(1, '\0');
  const auto add = [&](std::string name, FakeRequestSpec spec) {
    all.push_back({std::move(name), FakeRequestPem(spec)});
  };
  const auto extension = [](std::string_view oid, const std::string& middle,
                            const std::string& value) {
    return DerOf(0x30, DerOf(0x06, oid) + middle + DerOf(0x04, value));
  };
  const std::string san = "\x55\x1D\x11";
  const std::string list = DerOf(0x30, DerOf(0x82, "hidden"));
  const std::string ca = DerOf(0x30, DerOf(0x01, "\xFF"));
  add("names twice", {.names = {{0x82, "a"}}, .more_extensions = extension(san, "", list)});
  add("names, critical", {.more_extensions = extension(san, DerOf(0x01, "\xFF"), list)});
  add("names, not critical", {.more_extensions = extension(san, DerOf(0x01, nul), list)});
  add("names, critical as 1", {.more_extensions = extension(san, DerOf(0x01, "\x01"), list)});
  add("bytes behind the names", {.more_extensions = extension(san, "", list + list)});
  add("names that are a set", {.more_extensions = extension(san, "", DerOf(0x31, ""))});
  add("no names", {.more_extensions = extension(san, "", DerOf(0x30, ""))});
  add("empty value of names", {.more_extensions = extension(san, "", "")});
  add("bytes behind an extension",
      {.more_extensions = DerOf(0x30, DerOf(0x06, san) + DerOf(0x04, list) + DerOf(0x05, ""))});
  add("CA", {.more_extensions = extension("\x55\x1D\x13", "", ca)});
  add("CA, critical", {.more_extensions = extension("\x55\x1D\x13", DerOf(0x01, "\xFF"), ca)});
  add("unknown", {.more_extensions = extension("\x2A\x03", "", "")});
  const std::string hidden = DerOf(0x30, extension(san, "", list));
  const auto attribute = [](std::string_view oid, const std::string& values) {
    return DerOf(0x30, DerOf(0x06, oid) + DerOf(0x31, values));
  };
  const std::string requested(pki::kFakeExtensionRequest);
  add("second value", {.more_attributes = attribute(requested, DerOf(0x30, "") + hidden)});
  add("second attribute",
      {.names = {{0x82, "a"}}, .more_attributes = attribute(requested, hidden)});
  add("Microsoft's attribute",
      {.more_attributes = attribute("\x2B\x06\x01\x04\x01\x82\x37\x02\x01\x0E", hidden)});
  add("damaged attribute",
      {.more_attributes = DerOf(0x30, DerOf(0x06, requested) + DerOf(0x31, hidden) + "\x05")});
  add("attribute with more",
      {.more_attributes =
           DerOf(0x30, DerOf(0x06, requested) + DerOf(0x31, hidden) + DerOf(0x05, ""))});
  add("attribute that is a set", {.more_attributes = DerOf(0x31, DerOf(0x06, requested))});
  add("attribute of two values",
      {.more_attributes = attribute("\x2A\x03", DerOf(0x0C, "x") + DerOf(0x0C, "y"))});
  add("attribute without a value", {.more_attributes = attribute("\x2A\x03", "")});
  add("unstructured name",
      {.more_attributes = attribute("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x02", DerOf(0x16, "x"))});
  add("challenge",
      {.more_attributes = attribute("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x07", DerOf(0x0C, "x"))});
}

// Tricks with keys and signatures.
void AddKeys(Tricks& all) {
  using pki::FakeDigest;
  using pki::FakeKey;
  for (const FakeKey key : {FakeKey::kP224, FakeKey::kP384, FakeKey::kP521, FakeKey::kEd25519,
                            FakeKey::kRsa1024, FakeKey::kRsa2048}) {
    const std::string name = "key " + std::to_string(static_cast<int>(key));
    all.push_back({name, FakeRequestPem({.key = key})});
    all.push_back({name + " by SHA-1", FakeRequestPem({.key = key, .digest = FakeDigest::kSha1})});
    all.push_back({name + ", forged", FakeRequestPem({.key = key, .break_signature = true})});
  }
  all.push_back({"MD5", FakeRequestPem({.key = FakeKey::kRsa2048, .digest = FakeDigest::kMd5})});
}

}  // namespace

std::vector<Trick> RequestTricks() {
  std::vector<Trick> all;
  AddAround(all);
  AddNested(all);
  AddEncodings(all);
  AddSubjects(all);
  AddNames(all);
  AddExtensions(all);
  AddKeys(all);
  return all;
}

}  // namespace fuzz
