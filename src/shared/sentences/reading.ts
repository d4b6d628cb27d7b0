/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const reading = {
  answer_too_large: "The model's extracts from part of it were too large, twice.",
  being_indexed: "It was still being indexed.",
  changed: "It was changed while it was being read. Ask again to have the new version read.",
  gone: "It was removed while it was being read.",
  late: "The time limit for reading was reached. Ask again: what was read isn't read again.",
  no_model: "There is no model yet that can read it.",
  no_text: "No text was found in it.",
  no_room:
    "{{model}} has a context window of {{count, number}} tokens, which is too small to read whole documents for this question. Choose another model, shorten the question or the instructions, or use the best passages only.",
  no_such_file: "File not found, or you don't have access to it.",
  nothing_noted: "The model returned nothing for part of it, twice.",
  nothing_in_filter: "No file with text in the selected folders matches the filter.",
  nothing_to_read: "There is nothing to read. Give folders (vector) or files (fileIds) that contain text.",
  removed: "It was removed.",
  repeated_itself: "The model only repeated itself for part of it, twice.",
  said_too_much: "The model's extracts from part of it were too long.",
  stopped: "Reading was stopped.",
  table_of_passages: "A table is made from whole documents. Leave out `reading`, or the table.",
  too_much:
    "This is too much to read completely: {{characters, number}} characters, about {{minutes, number}} minutes with this model. Choose fewer files or folders, use the best passages only, or ask an owner to raise the limit in Settings › Models in use.",
  unreadable: "It couldn't be read.",
  withheld: "It now stays on this computer, so it wasn't sent to the model on a server.",
} as const
