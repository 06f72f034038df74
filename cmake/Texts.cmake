# SPDX-License-Identifier: Apache-2.0
# embed_texts(<target> <directory> <extension>)
#
# Puts every <directory>/*.<extension> into <target> as a text. Generates "<target>/texts.h" with
#   namespace <target> { std::string_view Text(std::string_view name); }
# where name is the file's name without its extension; it throws std::out_of_range for any other name.
function(embed_texts target directory extension)
  file(GLOB files CONFIGURE_DEPENDS ${directory}/*.${extension})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WLE)
    file(READ ${file} content)
    string(APPEND rows "    {\"${name}\", R\"~~~(${content})~~~\"},\n")
  endforeach()

  set(generated ${PROJECT_BINARY_DIR}/texts/${target})
  texts_write(${generated}/texts.h "// Generated from the files *.${extension} of ${target}.
#pragma once

#include <string_view>

namespace ${target} {

// Text is the file \"<name>.${extension}\". Throws std::out_of_range when there is no such file.
std::string_view Text(std::string_view name);

}  // namespace ${target}
")
  texts_write(${generated}/texts.cc "#include \"${target}/texts.h\"

#include <stdexcept>
#include <string>

namespace ${target} {
namespace {

struct Row {
  std::string_view name;
  std::string_view text;
};

constexpr Row kRows[] = {
    {\"\", \"\"},
${rows}};

}  // namespace

std::string_view Text(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name && !name.empty()) {
      return row.text;
    }
  }
  throw std::out_of_range(\"there is no text \" + std::string(name));
}

}  // namespace ${target}
")
  target_sources(${target} PRIVATE ${generated}/texts.cc)
  target_include_directories(${target} PUBLIC ${PROJECT_BINARY_DIR}/texts)
endfunction()

# texts_write leaves an unchanged file alone, so that nothing is rebuilt.
function(texts_write file content)
  set(old "")
  if(EXISTS ${file})
    file(READ ${file} old)
  endif()
  if(NOT old STREQUAL content)
    file(WRITE ${file} "${content}")
  endif()
endfunction()
