output "runner" {
  description = "Identity that runs the program, for the annotation in Kubernetes."
  value       = google_service_account.runner.email
}

output "address" {
  description = "Where the newsroom is called; empty where it runs all the time, and before every secret has a version."
  value       = local.ready ? google_cloud_run_v2_service.newsroom[0].uri : ""
}

output "engine" {
  description = "The first lines of kawaraban.yaml."
  value       = "engine: { kind: distributed, project: ${var.project}, firestore: { database: \"${var.database}\" }, pubsub: { topic_prefix: ${var.topic_prefix}, create_topics: false } }"
}

output "missing_secret_versions" {
  description = "Secrets that have no version in var.secret_versions yet; a newsroom that is called is created when there is none left."
  value       = local.missing_versions
}
