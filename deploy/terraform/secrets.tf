# Only the secrets, without values. Add the values manually, so that they are in no state file, then name the versions in
# var.secret_versions:
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

# kawaraban.yaml contains no secrets; this is the simplest file that Cloud Run mounts.
resource "google_secret_manager_secret" "configuration" {
  count     = local.called ? 1 : 0
  secret_id = "kawaraban-configuration"

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}

resource "google_secret_manager_secret_version" "configuration" {
  count       = local.called ? 1 : 0
  secret      = google_secret_manager_secret.configuration[0].id
  secret_data = var.configuration
}

resource "google_secret_manager_secret_iam_member" "runner_reads_configuration" {
  count     = local.called ? 1 : 0
  secret_id = google_secret_manager_secret.configuration[0].id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.runner.member
}
