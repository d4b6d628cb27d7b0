import type { automations as english } from "../../../../shared/sentences/automations.ts"
import { translation } from "../../translation.ts"

export const automations = translation<typeof english>()({
  answer_failed: "La risposta non è riuscita. Apri la chat per vedere perché.",
  circle:
    "Questa automazione si è avviata da sola tre volte di fila, quindi è stata interrotta. Falla scrivere in un’altra cartella, o aspettare altri file.",
  cut_too_often: "Casella si è chiusa {{count, number}} volte durante questa esecuzione.",
  enough_today: "Questa automazione ha raggiunto il limite di {{count, number}} esecuzioni per oggi.",
  file_gone: "Il file è stato eliminato, o non vi hai più accesso.",
  folders_not_yours: "Alcune di queste cartelle sono state eliminate o non sono condivise con te.",
  held: "Viene da un backup ripristinato. Finché un proprietario non decide in Impostazioni › Backup, puoi eliminarla ma non modificarla.",
  hook_of_key:
    "La chiave API che ha creato questo webhook non ha i diritti per ciò che l’automazione fa ora. Il proprietario dell’automazione può creare un nuovo URL del webhook.",
  input_too_long: "Un webhook accetta al massimo 64 KB.",
  maker_revoked:
    "La chiave API che ha creato questa automazione è stata revocata. Salva l’automazione per eseguirla a tuo nome.",
  matches_everything: "corrisponde a tutti i file: lascialo vuoto",
  never: "non si verifica mai: quella data non esiste",
  no_assistant: "non è un assistente che puoi usare",
  no_cron:
    "non è una pianificazione valida. Usa minuto, ora, giorno del mese, mese e giorno della settimana, per esempio 0 9 * * 1",
  no_hook: "Webhook non trovato. Forse il suo URL è stato sostituito.",
  no_pattern: "non è un modello valido: chiudi le graffe e usa poche alternative",
  no_run: "Esecuzione non trovata.",
  no_time_zone: "non è un fuso orario: usa un nome come Europe/Rome",
  none_such: "Automazione non trovata. Forse è stata eliminata.",
  queue_full: "{{count, number}} esecuzioni di questa automazione sono già in coda.",
  ran_already: "Questa automazione è già stata eseguita per questo.",
  restored: "Nel frattempo è stato ripristinato un backup.",
  starter_revoked: "La chiave API che ha avviato questa esecuzione è stata revocata.",
  switched_off: "L’automazione è disattivata.",
  too_many: "Puoi avere al massimo {{count, number}} automazioni. Prima eliminane una.",
  too_many_failures: "Non è riuscita {{count, number}} volte di fila, quindi è stata disattivata: {{reason}}",
  took_too_long: "Ha superato il suo limite di {{minutes, number}} minuti.",
  watch_needs_files: "richiede un avvio per i file di una cartella",
})
