SELECT
  `item`.`i_item_desc` AS `i_item_desc`,
  `warehouse`.`w_warehouse_name` AS `w_warehouse_name`,
  `d1`.`d_week_seq` AS `d_week_seq`,
  SUM(CASE WHEN `promotion`.`p_promo_sk` IS NULL THEN 1 ELSE 0 END) AS `no_promo`,
  SUM(CASE WHEN NOT `promotion`.`p_promo_sk` IS NULL THEN 1 ELSE 0 END) AS `promo`,
  COUNT(*) AS `total_cnt`
FROM `duck`.`ns`.`catalog_sales` AS `catalog_sales`
JOIN `maria`.`ns`.`inventory` AS `inventory`
  ON (
    `catalog_sales`.`cs_item_sk` = `inventory`.`inv_item_sk`
  )
JOIN `maria`.`ns`.`warehouse` AS `warehouse`
  ON (
    `warehouse`.`w_warehouse_sk` = `inventory`.`inv_warehouse_sk`
  )
JOIN `pg`.`ns`.`item` AS `item`
  ON (
    `item`.`i_item_sk` = `catalog_sales`.`cs_item_sk`
  )
JOIN `duck`.`ns`.`customer_demographics` AS `customer_demographics`
  ON (
    `catalog_sales`.`cs_bill_cdemo_sk` = `customer_demographics`.`cd_demo_sk`
  )
JOIN `pg`.`ns`.`household_demographics` AS `household_demographics`
  ON (
    `catalog_sales`.`cs_bill_hdemo_sk` = `household_demographics`.`hd_demo_sk`
  )
JOIN `maria`.`ns`.`date_dim` AS `d1`
  ON (
    `catalog_sales`.`cs_sold_date_sk` = `d1`.`d_date_sk`
  )
JOIN `maria`.`ns`.`date_dim` AS `d2`
  ON (
    `inventory`.`inv_date_sk` = `d2`.`d_date_sk`
  )
JOIN `maria`.`ns`.`date_dim` AS `d3`
  ON (
    `catalog_sales`.`cs_ship_date_sk` = `d3`.`d_date_sk`
  )
LEFT OUTER JOIN `duck`.`ns`.`promotion` AS `promotion`
  ON (
    `catalog_sales`.`cs_promo_sk` = `promotion`.`p_promo_sk`
  )
LEFT OUTER JOIN `pg`.`ns`.`catalog_returns` AS `catalog_returns`
  ON (
    `catalog_returns`.`cr_item_sk` = `catalog_sales`.`cs_item_sk`
    AND `catalog_returns`.`cr_order_number` = `catalog_sales`.`cs_order_number`
  )
WHERE
  `d1`.`d_week_seq` = `d2`.`d_week_seq`
  AND `inventory`.`inv_quantity_on_hand` < `catalog_sales`.`cs_quantity`
  AND `d3`.`d_date` > `d1`.`d_date` + 5 /* SQL Server: DATEADD(day, 5, d1.d_date) */
  AND `household_demographics`.`hd_buy_potential` = '>10000'
  AND `d1`.`d_year` = 1999
  AND `customer_demographics`.`cd_marital_status` = 'D'
GROUP BY
  `item`.`i_item_desc`,
  `warehouse`.`w_warehouse_name`,
  `d1`.`d_week_seq`
ORDER BY
  `total_cnt` DESC NULLS FIRST,
  `i_item_desc`,
  `w_warehouse_name`,
  `d_week_seq`
LIMIT 100
