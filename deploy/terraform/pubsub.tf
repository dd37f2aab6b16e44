# Same names and settings as the program would create, so that it needs no permission to create any:
# engine.pubsub.create_topics may be false.
data "google_project" "this" {}

locals {
  queues       = { for id in var.process_pipelines : id => "${var.topic_prefix}-${id}" }
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_topic" "queue" {
  for_each   = local.queues
  name       = each.value
  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic" "dead" {
  for_each   = local.queues
  name       = "${each.value}-dead"
  depends_on = [google_project_service.api]
}

resource "google_pubsub_subscription" "queue" {
  for_each                   = local.queues
  name                       = each.value
  topic                      = google_pubsub_topic.queue[each.key].id
  ack_deadline_seconds       = 60
  message_retention_duration = "604800s"

  # Never expires without a subscriber: a desktop computer may be off for weeks.
  expiration_policy {
    ttl = ""
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead[each.key].id
    max_delivery_attempts = 20
  }
}

resource "google_pubsub_subscription" "dead" {
  for_each                   = local.queues
  name                       = "${each.value}-dead"
  topic                      = google_pubsub_topic.dead[each.key].id
  message_retention_duration = "604800s"

  expiration_policy {
    ttl = ""
  }
}

# Pub/Sub itself dead-letters what no worker could handle.
resource "google_pubsub_topic_iam_member" "agent_buries" {
  for_each = local.queues
  topic    = google_pubsub_topic.dead[each.key].id
  role     = "roles/pubsub.publisher"
  member   = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "agent_takes" {
  for_each     = local.queues
  subscription = google_pubsub_subscription.queue[each.key].id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}
