/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const accounts = {
  email_taken: "There is a user with the e-mail address {{email}} already.",
  key_needed:
    "Enter the whole API key to confirm it. If you don't have it, revoke it and create another one.",
  link_used: "This sign-in link was used already or is older than 5 minutes.",
  no_key: "There is no such API key.",
  no_owner: "There is no owner.",
  no_provider: "Nobody but one-time links signs people in here.",
  no_person: "There is no such person here.",
  not_yourself: "You can't shut yourself out. Another owner can.",
  other_session: "This browser is signed in as somebody else than {{name}}.",
  other_key:
    "This isn't the API key that the backup brought under this name. If you don't know that key, revoke it.",
  owner_needed: "The workspace needs an owner who can sign in. Name another one first.",
  person_disabled: "This person is disabled. Enable them first.",
  ticket_for_session: "Only the app session needs this: send your key with the download.",
  too_many_keys: "There are {{count}} API keys already. Revoke one that isn't used.",
  too_many_people: "There are {{count}} people already, and no more may be.",
  user_gone: "This user doesn't exist any more.",
} as const
