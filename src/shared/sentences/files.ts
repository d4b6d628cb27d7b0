/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const files = {
  changed_by_others: "Another program has just changed this file. Look at it, then try again.",
  changed_since: "The file has changed since it was looked at.",
  cloud_only: "The content of this file is only in a cloud drive. Download it there first.",
  left_out: "This folder leaves out such files: see .casellaignore, or choose another name.",
  missing_on_drive: "Files of this folder are missing. Connect its drive, or confirm that they were deleted.",
  name_not_utf8:
    "The name of this file has characters that can't be read (it isn't UTF-8), so it can't be changed or deleted here. Rename it first.",
  no_page: "There is no such page.",
  no_text_yet: "The text isn't available: the file is {{status}}.",
  no_web_page: "This file isn't a copy of a web page, so there is nothing to fetch.",
  none_such: "There is no such file in this folder.",
  not_changeable: "Casella may not change this file. Check its permissions, or close it elsewhere.",
  own_data: "{{sign}} names data of Casella's own. Choose another name.",
  page_not_stored: "The page was fetched, but couldn't be stored. The log says more.",
  page_not_drawn: "This page couldn't be drawn.",
  page_not_drawn_damaged: "This page couldn't be drawn: it is damaged or too intricate.",
  text_unreadable: "The stored text of this file can't be read. Read the file again.",
  too_many_named: 'There are too many files named "{{name}}" here. Choose another name.',
  too_many_waiting: "Too many documents are waiting to be read. Try again in a while.",
  viewer_ended: "The program that draws pages ended. Try again in a while.",
} as const
