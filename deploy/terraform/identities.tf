# Two identities: one runs the newsroom, the other may only call it.
resource "google_service_account" "runner" {
  account_id   = "kawaraban-runner"
  display_name = "Runs Kawaraban"
  depends_on   = [google_project_service.api]
}

# Only this database, and its documents: neither its rules nor its indexes.
resource "google_project_iam_member" "runner_documents" {
  project = var.project
  role    = "roles/datastore.user"
  member  = google_service_account.runner.member

  condition {
    title      = "only-the-newsrooms-database"
    expression = "resource.type != \"firestore.googleapis.com/Database\" || resource.name == \"projects/${var.project}/databases/${var.database}\""
  }
}

resource "google_pubsub_topic_iam_member" "runner_hands_over" {
  for_each = local.queues
  topic    = google_pubsub_topic.queue[each.key].id
  role     = "roles/pubsub.publisher"
  member   = google_service_account.runner.member
}

# The program itself dead-letters a message that names no video.
resource "google_pubsub_topic_iam_member" "runner_buries" {
  for_each = local.queues
  topic    = google_pubsub_topic.dead[each.key].id
  role     = "roles/pubsub.publisher"
  member   = google_service_account.runner.member
}

resource "google_pubsub_subscription_iam_member" "runner_works" {
  for_each     = local.queues
  subscription = google_pubsub_subscription.queue[each.key].id
  role         = "roles/pubsub.subscriber"
  member       = google_service_account.runner.member
}

# At its start the program checks whether topics and subscriptions exist.
resource "google_pubsub_topic_iam_member" "runner_looks" {
  for_each = local.queues
  topic    = google_pubsub_topic.queue[each.key].id
  role     = "roles/pubsub.viewer"
  member   = google_service_account.runner.member
}

resource "google_pubsub_topic_iam_member" "runner_looks_at_dead" {
  for_each = local.queues
  topic    = google_pubsub_topic.dead[each.key].id
  role     = "roles/pubsub.viewer"
  member   = google_service_account.runner.member
}

resource "google_pubsub_subscription_iam_member" "runner_looks" {
  for_each     = local.queues
  subscription = google_pubsub_subscription.queue[each.key].id
  role         = "roles/pubsub.viewer"
  member       = google_service_account.runner.member
}

resource "google_pubsub_subscription_iam_member" "runner_looks_at_dead" {
  for_each     = local.queues
  subscription = google_pubsub_subscription.dead[each.key].id
  role         = "roles/pubsub.viewer"
  member       = google_service_account.runner.member
}

resource "google_service_account_iam_member" "kubernetes" {
  count              = var.kubernetes_namespace == "" ? 0 : 1
  service_account_id = google_service_account.runner.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project}.svc.id.goog[${var.kubernetes_namespace}/kawaraban]"
}

resource "google_service_account" "caller" {
  count        = local.called ? 1 : 0
  account_id   = "kawaraban-caller"
  display_name = "Calls Kawaraban on schedule"
  depends_on   = [google_project_service.api]
}
