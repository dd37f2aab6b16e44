locals {
  # The same file that Firebase's own tool deploys and that the tests compare with the program's queries.
  indexes = jsondecode(file(var.indexes_file != "" ? var.indexes_file : "${path.module}/../firestore.indexes.json"))

  composite = {
    for index in local.indexes.indexes :
    join("/", concat([index.collectionGroup], [for field in index.fields : "${field.fieldPath}:${try(field.order, field.arrayConfig)}"])) => index
  }

  not_indexed = {
    for field in local.indexes.fieldOverrides : "${field.collectionGroup}/${field.fieldPath}" => field
  }
}

resource "google_firestore_database" "newsroom" {
  name                              = var.database
  location_id                       = var.firestore_location
  type                              = "FIRESTORE_NATIVE"
  concurrency_mode                  = "OPTIMISTIC"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state           = "DELETE_PROTECTION_ENABLED"
  depends_on                        = [google_project_service.api]
}

resource "google_firestore_backup_schedule" "daily" {
  database  = google_firestore_database.newsroom.name
  retention = "1209600s"
  daily_recurrence {}
}

resource "google_firestore_index" "composite" {
  for_each    = local.composite
  database    = google_firestore_database.newsroom.name
  collection  = each.value.collectionGroup
  query_scope = each.value.queryScope

  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path   = fields.value.fieldPath
      order        = try(fields.value.order, null)
      array_config = try(fields.value.arrayConfig, null)
    }
  }
}

# Long texts that no query uses: an index of them would only cost money.
resource "google_firestore_field" "not_indexed" {
  for_each   = local.not_indexed
  database   = google_firestore_database.newsroom.name
  collection = each.value.collectionGroup
  field      = each.value.fieldPath
  index_config {}
}

resource "google_firebaserules_ruleset" "nobody" {
  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/../firestore.rules")
    }
  }
  depends_on = [google_firestore_database.newsroom]
}

resource "google_firebaserules_release" "nobody" {
  name         = var.database == "(default)" ? "cloud.firestore" : "cloud.firestore/${var.database}"
  ruleset_name = google_firebaserules_ruleset.nobody.name
}
