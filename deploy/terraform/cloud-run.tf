# A newsroom that works only while it is called: it costs nothing in between.
resource "google_cloud_run_v2_service" "newsroom" {
  count               = local.ready ? 1 : 0
  name                = "kawaraban"
  location            = var.region
  ingress             = "INGRESS_TRAFFIC_ALL"
  deletion_protection = false

  template {
    service_account                  = google_service_account.runner.email
    timeout                          = "900s"
    max_instance_request_concurrency = 4

    scaling {
      min_instance_count = 0
      max_instance_count = 2
    }

    containers {
      image   = var.image
      command = ["node", "/usr/lib/kawaraban/dist/serverless.js"]

      env {
        name  = "KAWARABAN_PROJECT"
        value = var.project
      }

      env {
        name  = "KAWARABAN_DATA"
        value = "/tmp/kawaraban"
      }

      env {
        name  = "KAWARABAN_CALL_TIMEOUT"
        value = "840"
      }

      dynamic "env" {
        for_each = google_secret_manager_secret.secret
        content {
          name = env.key
          value_source {
            secret_key_ref {
              secret  = env.value.secret_id
              version = var.secret_versions[env.key]
            }
          }
        }
      }

      # Where KAWARABAN_CONFIG of the image looks for it.
      volume_mounts {
        name       = "configuration"
        mount_path = "/etc/kawaraban"
      }

      resources {
        limits = {
          cpu    = "1"
          memory = "512Mi"
        }
      }

      startup_probe {
        http_get {
          path = "/healthz"
        }
      }
    }

    volumes {
      name = "configuration"
      secret {
        secret = google_secret_manager_secret.configuration[0].secret_id
        items {
          # This very version, so that a change of the configuration is a new revision.
          version = google_secret_manager_secret_version.configuration[0].version
          path    = "kawaraban.yaml"
        }
      }
    }
  }

  # At its creation Cloud Run reads every secret as the runner.
  depends_on = [
    google_project_service.api,
    google_secret_manager_secret_iam_member.runner_reads,
    google_secret_manager_secret_iam_member.runner_reads_configuration,
    google_project_iam_member.runner_documents,
  ]
}

resource "google_cloud_run_v2_service_iam_member" "caller_calls" {
  count    = local.ready ? 1 : 0
  name     = google_cloud_run_v2_service.newsroom[0].name
  location = var.region
  role     = "roles/run.invoker"
  member   = google_service_account.caller[0].member
}

locals {
  calls = local.ready ? merge(
    { for pipeline, when in var.schedules : pipeline => merge(when, { path = "/run/${pipeline}" }) },
    { sweep = merge(var.sweep, { path = "/sweep" }) },
  ) : {}
}

# Repeated calls are one run: each carries its scheduled time (X-CloudScheduler-ScheduleTime).
resource "google_cloud_scheduler_job" "call" {
  for_each         = local.calls
  name             = "kawaraban-${each.key}"
  region           = var.region
  schedule         = each.value.cron
  time_zone        = each.value.time_zone
  attempt_deadline = "900s"

  retry_config {
    retry_count          = 5
    min_backoff_duration = "60s"
    max_backoff_duration = "600s"
  }

  http_target {
    http_method = "POST"
    uri         = "${google_cloud_run_v2_service.newsroom[0].uri}${each.value.path}"

    oidc_token {
      service_account_email = google_service_account.caller[0].email
      audience              = google_cloud_run_v2_service.newsroom[0].uri
    }
  }

  depends_on = [google_project_service.api, google_cloud_run_v2_service_iam_member.caller_calls]
}
