/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const models = {
  cannot_answer: "This model can't write answers. Choose another one.",
  cannot_embed: "This model can't find passages by meaning. Choose another one.",
  cannot_rerank: "This model can't sort passages. Choose another one.",
  catalogue_invalid: "models.json in the data directory isn't a catalogue: {{place}}: {{what}}.",
  catalogue_not_json: "models.json in the data directory isn't written as JSON.",
  changed_on_server: "The file on the server has changed; it is fetched anew.",
  check_connection: "{{what}} Check the internet connection, then resume.",
  connection_lost: "The connection to the server was lost.",
  context_at_most: "This model can hold {{count, number}} tokens at once here at most.",
  download_cut_short: "The server ended the download early.",
  download_in_circles: "The server sends the download in circles. Try again later, or another mirror.",
  download_needs_room:
    "The download needs {{size}} of free disk space and {{free}} are free. Make room, or choose a smaller model.",
  download_refused: "The server refused the download: {{status}}.",
  download_unsafe: "The server sends the download to an address that isn't safe. Choose another mirror.",
  downloaded_already: "This model is downloaded already.",
  downloading_already: "This model is being downloaded already.",
  file_deleted: "The downloaded file was deleted: {{why}}. Try again, or choose another mirror.",
  file_gone: "The file is gone. Put it back, or forget this model.",
  in_use: "This model is in use. Choose another one first.",
  instructions_too_long:
    "The instructions are too long for this model, which holds {{count}} tokens or pieces of words ({{sizes}}). Shorten the instructions, or choose a model that holds more.",
  link_in_the_way:
    "A file or a link stands where the data directory's {{directory}} is to be. Take it away, then resume the download.",
  message_too_long:
    "The message is too long for this model, which holds {{count}} tokens or pieces of words ({{sizes}}). Shorten the message, or choose a model that holds more.",
  no_chat_model: "No chat model is installed. Get one under Settings, Models.",
  no_download: "There is no such download.",
  no_embedding_model:
    "No search model is installed, which finds passages by meaning. Get one under Settings, Models.",
  no_file: "There is no file at this path.",
  no_such_file:
    "The server has no such file. Check the model's name, the file's name and where models come from.",
  none_such: "There is no such model on this computer.",
  not_complete: "it isn't a complete model file (GGUF)",
  not_in_catalogue: "There is no such model in the catalogue.",
  one_of_several: "The file is one part of several; choose a model in a single file.",
  other_chosen: "Another model was chosen while this answer was being written. Send the message again.",
  other_file: "The server has another file than the catalogue describes. Choose another mirror.",
  part_for_media: "The file is a part for images or sound, not a model of its own.",
  passages_too_long:
    "The folder passages are too long for this model, which holds {{count}} tokens or pieces of words ({{sizes}}). Shorten the folder passages, or choose a model that holds more.",
  path_not_whole: "path must be the whole path of the file.",
  runs_elsewhere: "This model runs on a server, which decides that.",
  server_gone:
    "The server {{server}} was removed while its model was writing this answer. Choose another model and send the message again.",
  server_silent: "The server fell silent.",
  server_status: "The server answered {{status}}.",
  server_unreachable: "The server can't be reached.",
  shorter_on_server: "The file on the server is shorter than what has arrived; it is fetched anew.",
  signed_in_only:
    "The server lets only signed-in people have this file. Download it in a browser and add it from the disk.",
  size_unknown: "The server doesn't say how large the file is. Choose another mirror.",
  no_such_model: "There is no such model.",
  invalid_address:
    "This server can't be turned on, because its address must begin with http:// or https:// and contain no name, password, ? or #. Leave it off, and add the server again.",
  no_such_server: "There is no such model server.",
  too_many: "Too many models are added. Forget some first.",
  too_many_servers: "At most {{count}} model servers can be added. Remove one first.",
  too_many_at_once: "At most {{count}} models are downloaded at once. Pause one, or wait until one is done.",
  too_many_downloads: "Too many downloads wait. Cancel some of them first.",
  tools_too_long:
    "The tools are too long for this model, which holds {{count}} tokens or pieces of words ({{sizes}}). Shorten the tools, or choose a model that holds more.",
  vision_is_known: "Whether this model takes pictures is known already.",
  wrong_checksum: "it isn't the file that was published (its checksum is wrong)",
  wrong_size: "it has {{size}} bytes instead of {{expected}}",
} as const
