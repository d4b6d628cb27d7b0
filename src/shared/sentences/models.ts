/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const models = {
  cannot_answer: "This model can't write answers. Choose another one.",
  cannot_embed: "This model can't find passages by meaning. Choose another one.",
  cannot_rerank: "This model can't rank passages. Choose another one.",
  catalogue_invalid: "models.json in the data directory isn't a valid catalogue: {{place}}: {{what}}.",
  catalogue_not_json: "models.json in the data directory isn't valid JSON.",
  changed_on_server: "The file on the server has changed, so it is downloaded again.",
  check_connection: "{{what}} Check the internet connection, then resume.",
  connection_lost: "The connection to the server was lost.",
  context_at_most:
    "On this computer, the context window of this model can have {{count, number}} tokens at most.",
  download_cut_short: "The server ended the download early.",
  download_in_circles: "The download redirects in a loop. Try again later, or use another mirror.",
  download_needs_space:
    "The download needs {{size, number}} GB of free disk space, but only {{free, number}} GB are free. Free up space, or choose a smaller model.",
  download_refused: "The server refused the download: {{status}}.",
  download_unsafe: "The server redirects the download to an address that isn't safe. Choose another mirror.",
  downloaded_already: "This model is already downloaded.",
  downloading_already: "This model is already being downloaded.",
  file_deleted: "The downloaded file was deleted: {{why}}. Try again, or choose another mirror.",
  file_gone: "The file is missing. Put it back, or remove this model from the list.",
  in_use: "This model is in use. Choose another one first.",
  instructions_over_context:
    "The question needs {{total, number}} tokens, but the context window of this model has {{count, number}}. The instructions alone need {{size, number}}. Shorten the instructions, or choose a model with a larger context window.",
  link_in_the_way:
    "A file or link is in the way of the {{directory}} folder in the data directory. Remove it, then resume the download.",
  message_over_context:
    "The question needs {{total, number}} tokens, but the context window of this model has {{count, number}}. The message alone needs {{size, number}}. Shorten the message, or choose a model with a larger context window.",
  no_chat_model: "No chat model is installed. Get one in Settings › Get more models.",
  no_download: "Download not found.",
  no_embedding_model:
    "No embedding model is installed, so passages can't be found by meaning. Get one in Settings › Get more models.",
  no_file: "There is no file at this path.",
  no_such_file:
    "The server doesn't have this file. Check the model name, the file name and the download source.",
  none_such: "This model isn't on this computer.",
  not_complete: "it isn't a complete model file (GGUF)",
  not_in_catalogue: "This model isn't in the catalogue.",
  one_of_several: "This file is one of several parts. Choose a model in a single file.",
  other_chosen: "Another model was chosen while this answer was being written. Send the message again.",
  other_file: "The server's file isn't the one that the catalogue describes. Choose another mirror.",
  part_for_media: "This file is an add-on for images or audio, not a model.",
  passages_over_context:
    "The question needs {{total, number}} tokens, but the context window of this model has {{count, number}}. The passages from the folders alone need {{size, number}}. Lower “Passages per answer” in the folder's settings, or choose a model with a larger context window.",
  path_not_whole: "path must be the full path of the file.",
  runs_elsewhere: "This model runs on a server, so this can't be set here.",
  server_gone:
    "The server {{server}} was removed while its model was writing this answer. Choose another model and send the message again.",
  server_silent: "The server stopped responding.",
  server_status: "The server answered {{status}}.",
  server_unreachable: "The server can't be reached.",
  shorter_on_server: "The file on the server is shorter than what was downloaded, so it is downloaded again.",
  signed_in_only:
    "The server requires signing in to download this file. Download it in a browser, then add it by its path.",
  size_unknown: "The server doesn't say how large the file is. Choose another mirror.",
  no_such_model: "Model not found.",
  invalid_address:
    "This server can't be turned on. Its address must start with http:// or https:// and contain no user name, password, ? or #. Keep it off, and add the server again.",
  no_such_server: "Model server not found.",
  too_many: "Too many models have been added. Remove some from the list first.",
  too_many_servers: "You can add {{count, number}} model servers at most. Remove one first.",
  too_many_at_once:
    "At most {{count, number}} models can be downloaded at once. Pause one, or wait until one is finished.",
  too_many_downloads: "Too many downloads are waiting. Cancel some first.",
  tools_over_context:
    "The question needs {{total, number}} tokens, but the context window of this model has {{count, number}}. The tools alone need {{size, number}}. Turn off some tools, or choose a model with a larger context window.",
  vision_is_known: "Casella already knows whether this model supports images.",
  wrong_checksum: "it isn't the file that was published (its checksum is wrong)",
  wrong_size: "it has {{size, number}} bytes instead of {{expected, number}}",
} as const
