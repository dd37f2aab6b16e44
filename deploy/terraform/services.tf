locals {
  # A newsroom that works only during requests needs a scheduler that calls it.
  called = length(var.schedules) > 0

  # Cloud Run refuses a service that reads a secret without a version: the first apply creates the secrets, the next one
  # what reads them.
  missing_versions = setsubtract(var.secrets, keys(var.secret_versions))
  ready            = local.called && length(local.missing_versions) == 0

  apis = concat(
    ["firestore.googleapis.com", "firebaserules.googleapis.com", "pubsub.googleapis.com", "secretmanager.googleapis.com", "iam.googleapis.com"],
    local.called ? ["cloudscheduler.googleapis.com", "run.googleapis.com"] : [],
  )
}

resource "google_project_service" "api" {
  for_each           = toset(local.apis)
  service            = each.value
  disable_on_destroy = false
}
