/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const automations = {
  answer_failed: "The answer failed. Open the chat to see why.",
  circle:
    "This automation triggered itself three times in a row, so it was stopped. Let it write to another folder, or wait for other files.",
  cut_too_often: "Casella stopped {{count, number}} times during this run.",
  enough_today: "This automation reached its limit of {{count, number}} runs for today.",
  file_gone: "The file was deleted, or you no longer have access to it.",
  folders_not_yours: "Some of these folders were deleted, or aren't shared with you.",
  held: "This came with a restored backup. Until an owner decides about it in Settings › Backup, you can delete it but not change it.",
  hook_of_key:
    "The API key that created this webhook lacks the rights for what the automation does now. The automation's owner can create a new webhook URL.",
  input_too_long: "A webhook accepts 64 KB at most.",
  maker_revoked:
    "The API key that created this automation was revoked. Save the automation to run it as yourself.",
  matches_everything: "matches every file. Leave it empty instead",
  never: "never occurs: that date doesn't exist",
  no_assistant: "isn't an assistant that you can use",
  no_cron:
    "isn't a valid schedule. Use minute, hour, day of month, month and day of week, for example 0 9 * * 1",
  no_hook: "Webhook not found. Its URL may have been replaced.",
  no_pattern: "isn't a valid pattern. Close its braces, and use only a few alternatives",
  no_run: "Run not found.",
  no_time_zone: "isn't a time zone. Use a name such as Europe/Rome",
  none_such: "Automation not found. It may have been deleted.",
  queue_full: "{{count, number}} runs of this automation are already queued.",
  ran_already: "This automation has already run for this.",
  restored: "A backup was restored in the meantime.",
  starter_revoked: "The API key that started this run was revoked.",
  switched_off: "The automation is turned off.",
  too_many: "You can have {{count, number}} automations at most. Delete one first.",
  too_many_failures: "It failed {{count, number}} times in a row, so it was turned off: {{reason}}",
  took_too_long: "It took longer than its limit of {{minutes, number}} minutes.",
  watch_needs_files: "needs a trigger for files in a folder",
} as const
