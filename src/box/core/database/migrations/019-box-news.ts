export const boxNews = `ALTER TABLE notifications ADD COLUMN news TEXT;`
