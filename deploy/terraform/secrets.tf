# Only the secrets, without values. Add the values manually, so that they are in no state file:
#   printf %s 'https://…' | gcloud secrets versions add DISCORD_WEBHOOK_URL --data-file=-
resource "google_secret_manager_secret" "secret" {
  for_each  = var.secrets
  secret_id = each.value

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}

resource "google_secret_manager_secret_iam_member" "runner_reads" {
  for_each  = google_secret_manager_secret.secret
  secret_id = each.value.id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.runner.member
}
