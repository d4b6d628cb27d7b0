/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const reading = {
  answer_too_large: "The model's answer about some of it was too large, twice.",
  being_indexed: "It was still being indexed.",
  changed: "It was changed while it was read. Ask again to have it read as it is now.",
  gone: "It was removed while it was read.",
  late: "The time for reading was over. Ask again: what was read isn't read again.",
  no_model: "There is no model yet that could read it.",
  no_text: "No text was found in it.",
  no_room:
    "{{model}} holds {{count, number}} tokens (pieces of words), which is too little to read whole beside this question. Choose another model, shorten the question or the instructions, or ask with passages instead of everything (without `whole`).",
  no_such_file: "There is no such file, or you may not read it.",
  nothing_noted: "The model said nothing of some of it, twice.",
  nothing_in_filter: "No file with text in the chosen folders matches the filter.",
  nothing_to_read: "There is nothing to read whole. Name folders (vector) or files (fileIds) that hold text.",
  removed: "It was removed.",
  repeated_itself: "The model only repeated itself about some of it, twice.",
  said_too_much: "The model had more to note of some of it than it may write.",
  stopped: "Reading was stopped.",
  table_of_passages: "A table is made of everything that is asked about. Leave out `reading`, or the table.",
  too_much:
    "That is too much to read whole: {{characters, number}} characters, about {{minutes, number}} minutes with this model. Name fewer files or folders, ask with passages instead of everything (without `whole`), or raise the limit in the settings (wholeLimit).",
  unreadable: "It couldn't be read.",
  withheld: "It stays on this computer now, so the model on a server wasn't sent it.",
} as const
