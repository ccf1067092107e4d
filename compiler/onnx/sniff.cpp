// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/sniff.h"

#include <algorithm>
#include <cctype>

#include "compiler/support/text.h"

namespace macec {
namespace {

struct Kind {
  const char* what;
  const char* hint;
  bool (*matches)(std::string_view bytes);
};

bool has_at(std::string_view bytes, size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() && bytes.substr(at, magic.size()) == magic;
}

bool contains(std::string_view bytes, std::string_view part) {
  return bytes.substr(0, 1 << 16).find(part) != std::string_view::npos;
}

bool is_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return std::all_of(head.begin(), head.end(), [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : std::isspace(u) != 0;
  });
}

constexpr const char* kExport =
    "export it to ONNX first: torch.onnx.export(model, inputs, 'model.onnx')";

// From special to general: the first match names the file.
const Kind kKinds[] = {
    {"a git-lfs pointer", "fetch the file: git lfs pull",
     [](std::string_view b) { return has_at(b, 0, "version https://git-lfs"); }},
    {"a PyTorch checkpoint (a zip archive)", kExport,
     [](std::string_view b) { return has_at(b, 0, "PK\x03\x04") && contains(b, "data.pkl"); }},
    {"a Keras model (a zip archive)", "convert it with tf2onnx",
     [](std::string_view b) { return has_at(b, 0, "PK\x03\x04") && contains(b, "config.json"); }},
    {"NumPy arrays (.npz)", "a model has the extension .onnx; data goes to --data",
     [](std::string_view b) { return has_at(b, 0, "PK\x03\x04") && contains(b, ".npy"); }},
    {"a zip archive", "unpack it; the model inside has the extension .onnx",
     [](std::string_view b) { return has_at(b, 0, "PK\x03\x04"); }},
    {"a NumPy array (.npy)", "a model has the extension .onnx; data goes to --data",
     [](std::string_view b) { return has_at(b, 0, "\x93NUMPY"); }},
    {"a PyTorch checkpoint (a Python pickle)", kExport,
     [](std::string_view b) { return b.size() > 2 && b[0] == '\x80' && b[1] >= 2 && b[1] <= 5; }},
    {"a TensorFlow Lite model",
     "convert it with tf2onnx: python -m tf2onnx.convert --tflite x.tflite --output x.onnx",
     [](std::string_view b) { return has_at(b, 4, "TFL3"); }},
    {"a model in onnxruntime's own format (.ort)", "use the .onnx file that it was made from",
     [](std::string_view b) { return has_at(b, 4, "ORTM"); }},
    {"an HDF5 file (a Keras model?)", "convert it with tf2onnx",
     [](std::string_view b) { return has_at(b, 0, "\x89HDF\r\n"); }},
    {"a GGUF model", "macec reads ONNX", [](std::string_view b) { return has_at(b, 0, "GGUF"); }},
    {"compressed with gzip", "unpack it with gunzip",
     [](std::string_view b) { return has_at(b, 0, "\x1f\x8b"); }},
    {"a safetensors file (weights only)", "a graph is needed too: export the model to ONNX",
     [](std::string_view b) {
       return b.size() > 9 && has_at(b, 8, "{\"") && has_at(b, 5, std::string_view("\0\0\0", 3));
     }},
    {"a web page", "download the file itself, not the page that shows it",
     [](std::string_view b) {
       std::string head(b.substr(0, 64));
       for (char& c : head) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
       return head.find("<html") != std::string::npos ||
              head.find("<!doctype") != std::string::npos;
     }},
    {"a JSON text", "macec reads ONNX's binary form",
     [](std::string_view b) { return !b.empty() && (b[0] == '{' || b[0] == '[') && is_text(b); }},
    {"a text file", "macec reads ONNX's binary form",
     [](std::string_view b) { return is_text(b); }},
};

// An ONNX file starts with ir_version (field 1, varint), mostly followed by the producer's name or the graph.
bool looks_like_onnx(std::string_view bytes) {
  return bytes.size() > 4 && bytes[0] == 8 && bytes[1] > 0 && bytes[1] < 64;
}

}  // namespace

UserError not_a_model(std::string_view bytes, const std::string& path, bool parses) {
  const std::string name = printable(path);
  if (bytes.empty())
    return user_error("'{}' is empty", name).hint("was the download or the export cut short?");
  for (const Kind& kind : kKinds)
    if (kind.matches(bytes))
      return user_error("'{}' is {}, no ONNX model", name, kind.what).hint(kind.hint);
  if (!parses && looks_like_onnx(bytes))
    return user_error(
               "'{}' is damaged or cut off: it begins like an ONNX model, but its {} cannot be "
               "read to the end",
               name, bytes_text(static_cast<int64_t>(bytes.size())))
        .hint("fetch or export it again and compare the sizes");
  if (parses) return user_error("'{}' is no ONNX model: it has no graph", name);
  return user_error("'{}' is no ONNX model", name);
}

}  // namespace macec
