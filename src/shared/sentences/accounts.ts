/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const accounts = {
  email_taken: "Someone with the email address {{email}} already exists.",
  key_needed: "Enter the whole API key to confirm it. If you don't have it, revoke it and create a new one.",
  link_used: "This sign-in link was already used, or is older than 5 minutes. Create a new one.",
  no_key: "API key not found. It may have been revoked.",
  no_owner: "There is no owner.",
  no_provider: "Single sign-on isn't set up. Use a one-time sign-in link.",
  no_person: "Person not found.",
  not_yourself: "You can't disable your own account. Ask another owner.",
  other_session: "Someone other than {{name}} is signed in to this browser.",
  other_key:
    "This isn't the API key that the backup has under this name. If you don't know that key, revoke it.",
  owner_needed: "The workspace needs an owner who can sign in. Make someone else an owner first.",
  person_disabled: "This person is disabled. Enable them first.",
  ticket_for_session: "Only the app session needs this. Send your API key with the download instead.",
  too_many_keys:
    "There are already {{count, number}} API keys, which is the maximum. Revoke one that isn't used.",
  too_many_people: "This Casella already has {{count, number}} people, which is the maximum.",
  user_gone: "This user no longer exists.",
} as const
