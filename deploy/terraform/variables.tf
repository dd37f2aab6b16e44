variable "project" {
  description = "ID of the Google Cloud project."
  type        = string
}

variable "region" {
  description = "Region of what has one: the job that is called, and the scheduler."
  type        = string
  default     = "asia-northeast1"
}

variable "firestore_location" {
  description = "Location of the database. It cannot be changed later."
  type        = string
  default     = "asia-northeast1"
}

variable "database" {
  description = "Name of the Firestore database, as in engine.firestore.database."
  type        = string
  default     = "(default)"
}

variable "topic_prefix" {
  description = "As in engine.pubsub.topic_prefix."
  type        = string
  default     = "kawaraban"
}

variable "process_pipelines" {
  description = "IDs of the process pipelines with queue: pubsub."
  type        = set(string)
  default     = []
}

variable "secrets" {
  description = "Names of the secrets that kawaraban.yaml takes from the environment, as in DISCORD_WEBHOOK_URL. Their values are put in by hand, never here."
  type        = set(string)
  default     = []
}

variable "secret_versions" {
  description = "Version of each secret that a newsroom which is called reads, as in { DISCORD_WEBHOOK_URL = \"1\" }. Apply once without it: this creates the secrets. Add their values, name their versions here, and apply again: this creates what reads them. A new number deploys a new value."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.secret_versions), var.secrets)) == 0
    error_message = "Every name in secret_versions must be one of var.secrets."
  }
}

variable "configuration" {
  description = "Text of kawaraban.yaml for a newsroom that is called, as in file(\"kawaraban.yaml\"); mounted at /etc/kawaraban. It contains no secrets, and has at most 64 KiB: sources beyond that are added on the page or by command."
  type        = string
  default     = ""

  validation {
    condition     = var.configuration == "" || can(yamldecode(var.configuration)) && length(base64encode(var.configuration)) <= 87384
    error_message = "The configuration must be YAML, and at most 64 KiB."
  }

  validation {
    condition     = length(var.schedules) == 0 || var.configuration != ""
    error_message = "A newsroom that is called needs a configuration."
  }
}

variable "schedules" {
  description = "Runs for a newsroom that works only while it is called: pipeline to schedule. Empty where copies of the program run all the time."
  type = map(object({
    cron      = string
    time_zone = optional(string, "Asia/Tokyo")
  }))
  default = {}
}

variable "sweep" {
  description = "When old items are swept, for a newsroom that works only while it is called."
  type = object({
    cron      = string
    time_zone = string
  })
  default = {
    cron      = "0 3 * * 0"
    time_zone = "Asia/Tokyo"
  }
}

variable "image" {
  description = "Image of the program, for a newsroom that works only while it is called."
  type        = string
  default     = ""

  validation {
    condition     = length(var.schedules) == 0 || var.image != ""
    error_message = "A newsroom that is called needs an image."
  }
}

variable "kubernetes_namespace" {
  description = "Namespace and service account in Kubernetes that act as the runner; empty where there is no cluster."
  type        = string
  default     = ""
}

variable "indexes_file" {
  description = "What `kawaraban indexes` writes, where there are several pipelines of a kind; deploy/firestore.indexes.json when empty."
  type        = string
  default     = ""
}
